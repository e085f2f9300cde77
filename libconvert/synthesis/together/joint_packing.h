// SPDX-License-Identifier: MIT
// Packs trees and routes of several collectives into one network, so that no link carries much more than its share
// of all collectives.
//
// Works as for one collective (trees/packing.h, flows/paths.h), but link loads are bytes, summed over all
// collectives. Trees for reductions grow on the reversed links, which have the same indices, and so the same loads,
// as the links.
#pragma once

#include <cstdint>
#include <vector>

#include "synthesis/together/problem.h"
#include "synthesis/trees/packing.h"

namespace convert {

// Trees and routes of each collective: an all-reduce has both kinds of trees, point-to-point collectives have
// routes, others have one kind of trees.
struct JointPacking {
  struct Part {
    TreePacking gathers{};
    TreePacking sums{};
    std::vector<std::vector<std::uint32_t>> ways{};  // links, by commodity (commodities_of()) and chunk
  };
  std::vector<Part> parts{};
  std::uint32_t trees = 1;  // from each root; also routes of each commodity
};

// Packs `choice.trees` trees from each root. `share`: the bytes that a link of bandwidth 1 can carry within the
// bound.
[[nodiscard]] JointPacking pack_together(const JointProblem& problem, double share, const TreeChoice& choice);

// Returns the moves of a collective whose trees, or routes, each carry their share in `pieces` chunks; and the
// order in which the chunks of all collectives are interleaved, from 0 to 1.
[[nodiscard]] TreeMoves moves_of(const SynthesisProblem& problem, const JointPacking::Part& part,
                                 std::uint32_t trees, std::uint32_t pieces);

}  // namespace convert
