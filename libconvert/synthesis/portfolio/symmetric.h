// SPDX-License-Identifier: MIT
// Makes candidates for systems of like parts: trees for one of them, with their images for the others.
#pragma once

#include <cstdint>
#include <map>

#include "synthesis/portfolio.h"
#include "synthesis/portfolio/piece_limits.h"

namespace convert {

// Returns the best candidates, by the number of pieces, of a problem in which each participant has a part for all
// others; none if the network has no symmetry. Packs and schedules the trees of
// NetworkSymmetry::roots only. `share` is that of pack_trees().
[[nodiscard]] std::map<std::uint32_t, TimedMoves> make_symmetric(const SynthesisProblem& problem,
                                                                 const SynthesisChoice& choice,
                                                                 const PieceLimits& limits, double share);

}  // namespace convert
