// SPDX-License-Identifier: MIT
// Makes candidates of trees and ways of several collectives that are packed with regard to each other.
#pragma once

#include <optional>
#include <string>

#include "synthesis/portfolio.h"
#include "synthesis/together/common_times.h"

namespace convert {

struct PackedTogether {
  JointMoves joint{};
  TimedMoves timed{};
};

// Returns the best of them, the same for any `jobs`; nothing if the methods that are asked for are others, or
// pieces cannot be of the number asked for. `lower`: a bound.
[[nodiscard]] std::optional<PackedTogether> make_packed(const JointProblem& problem, const SynthesisChoice& choice,
                                                        Picoseconds lower);

}  // namespace convert
