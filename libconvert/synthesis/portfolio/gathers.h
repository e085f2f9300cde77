// SPDX-License-Identifier: MIT
// Makes candidates of all-gathers and broadcasts, by all makers.
#pragma once

#include "synthesis/portfolio.h"
#include "synthesis/portfolio/candidates.h"

namespace convert {

// Returns the best candidates of a problem in which one root, or each participant, has a part for all others, with
// these bounds.
[[nodiscard]] BestCandidates make_gathers(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                          const Bounds& bounds);

}  // namespace convert
