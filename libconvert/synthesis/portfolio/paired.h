// SPDX-License-Identifier: MIT
// Makes candidates of all-reduces by pairs of trees.
#pragma once

#include <optional>

#include "synthesis/portfolio.h"

namespace convert {

// Returns the best candidate; nothing if none has as many pieces as are wanted. `without` is the time of the best
// that is no pairs, INT64_MAX if there is none: what has no chance beside it is not made.
[[nodiscard]] std::optional<TimedMoves> make_paired(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                                    const Bounds& bounds, Picoseconds without);

}  // namespace convert
