// SPDX-License-Identifier: MIT
// Candidates with trees and routes of several collectives packed together.
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

// Returns the best candidate, the same for any `jobs`; nothing if the selected methods do not include packing, or
// the selected number of chunks is not possible. `lower`: a lower bound.
[[nodiscard]] std::optional<PackedTogether> make_packed(const JointProblem& problem, const SynthesisChoice& choice,
                                                        Picoseconds lower);

}  // namespace convert
