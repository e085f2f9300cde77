// SPDX-License-Identifier: MIT
// Makes candidates of all-to-alls, scatters and gathers, by ways for each part.
#pragma once

#include "synthesis/portfolio.h"
#include "synthesis/portfolio/candidates.h"

namespace convert {

// Returns the best candidates; none if none has as many pieces as are wanted.
[[nodiscard]] BestCandidates make_exchanges(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                            const Bounds& bounds);

}  // namespace convert
