// SPDX-License-Identifier: MIT
// Candidates for symmetric systems: trees for one of the equal parts, with their images for the others.
#pragma once

#include <cstdint>
#include <map>

#include "synthesis/portfolio.h"
#include "synthesis/portfolio/piece_limits.h"

namespace convert {

// Returns the best candidates, by the number of chunks, of a problem in which each participant has a shard for all
// others; empty if the network has no symmetry. Packs and schedules only the trees of NetworkSymmetry::roots.
// `share`: see pack_trees().
[[nodiscard]] std::map<std::uint32_t, TimedMoves> make_symmetric(const SynthesisProblem& problem,
                                                                 const SynthesisChoice& choice,
                                                                 const PieceLimits& limits, double share);

}  // namespace convert
