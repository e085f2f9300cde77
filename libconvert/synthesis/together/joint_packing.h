// SPDX-License-Identifier: MIT
// Packs trees and ways of several collectives into one network, so that no link carries much more than its share of
// all of them.
//
// As of one collective (trees/packing.h, flows/paths.h), but the loads of links are bytes, and are those of all.
// Trees of sums grow on the reversed links, whose indices, and so loads, are those of the links.
#pragma once

#include <cstdint>
#include <vector>

#include "synthesis/together/problem.h"
#include "synthesis/trees/packing.h"

namespace convert {

// Holds for each collective what it has: an all-reduce both kinds of trees, one whose NPUs send to each other ways,
// others one kind of trees.
struct JointPacking {
  struct Part {
    TreePacking gathers{};
    TreePacking sums{};
    std::vector<std::vector<std::uint32_t>> ways{};  // links, by commodity (commodities_of()) and piece
  };
  std::vector<Part> parts{};
  std::uint32_t trees = 1;  // from each root; ways of each commodity
};

// Packs `choice.trees` trees from each root. `share`: the bytes that a link of bandwidth 1 can carry while the
// bound lasts.
[[nodiscard]] JointPacking pack_together(const JointProblem& problem, double share, const TreeChoice& choice);

// Returns the moves of a collective, each of whose trees, or ways, carries its share in so many pieces; and the
// order of pieces in which those of all collectives are interleaved, from 0 to 1.
[[nodiscard]] TreeMoves moves_of(const SynthesisProblem& problem, const JointPacking::Part& part,
                                 std::uint32_t trees, std::uint32_t pieces);

}  // namespace convert
