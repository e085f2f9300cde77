// SPDX-License-Identifier: MIT
// Candidates for all-to-alls, scatters and gathers, by routes for each shard.
#pragma once

#include "synthesis/portfolio.h"
#include "synthesis/portfolio/candidates.h"

namespace convert {

// Returns the best candidates; empty if none has the selected number of chunks.
[[nodiscard]] BestCandidates make_exchanges(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                            const Bounds& bounds);

}  // namespace convert
