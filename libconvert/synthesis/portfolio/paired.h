// SPDX-License-Identifier: MIT
// Candidates for all-reduces by pairs of trees.
#pragma once

#include "synthesis/portfolio.h"
#include "synthesis/portfolio/candidates.h"

namespace convert {

// Returns the best candidates; empty if none has the selected number of chunks. `without` is the time of the best
// candidate without pairs, INT64_MAX if no such candidate exists; candidates that cannot be faster are not made.
[[nodiscard]] BestCandidates make_paired(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                         const Bounds& bounds, Picoseconds without);

}  // namespace convert
