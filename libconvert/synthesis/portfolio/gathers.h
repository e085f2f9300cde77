// SPDX-License-Identifier: MIT
// Candidates for all-gathers and broadcasts, by all methods.
#pragma once

#include "synthesis/portfolio.h"
#include "synthesis/portfolio/candidates.h"

namespace convert {

// Returns the best candidates of a problem in which one root, or each participant, has a shard for all others.
// `bounds`: of the problem.
[[nodiscard]] BestCandidates make_gathers(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                          const Bounds& bounds);

}  // namespace convert
