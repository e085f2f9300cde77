// SPDX-License-Identifier: MIT
// Makes candidates of all-reduces by pairs of trees.
#pragma once

#include "synthesis/portfolio.h"
#include "synthesis/portfolio/candidates.h"

namespace convert {

// Returns the best candidates; none if none has as many pieces as are wanted. `without` is the time of the best
// that is no pairs, INT64_MAX if there is none: what has no chance beside it is not made.
[[nodiscard]] BestCandidates make_paired(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                         const Bounds& bounds, Picoseconds without);

}  // namespace convert
