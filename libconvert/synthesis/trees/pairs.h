// SPDX-License-Identifier: MIT
// Packs pairs of trees for an all-reduce: a piece is summed up along one tree, and handed out from its root along
// another one, all pieces at once.
//
// A reduce-scatter and then an all-gather of equal parts cannot use links out of weak NPUs well; pairs of trees
// whose roots lie anywhere can, as what goes up and what goes down overlaps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "synthesis/trees/packing.h"

namespace convert {

struct PairPacking {
  struct Pair {
    TreePacking::Tree in{};   // on the reversed graph, from its root
    TreePacking::Tree out{};  // on the graph
  };
  std::vector<Pair> pairs{};
  double load = 0;  // the largest of a link, where 1 is what the bound allows
};

// Packs a pair for each of `roots`, which may be there several times; each pair has the same part of the data.
// `share`: the part of all data that a link of bandwidth 1 can carry while the bound lasts. choice.trees is not
// looked at. Returns nothing where pack_trees() would.
[[nodiscard]] std::optional<PairPacking> pack_pairs(const SynthesisProblem& problem, std::span<const Device> roots,
                                                    double share, TreeChoice choice);

// Returns the moves of all pairs, each with its part of the data in `pieces` pieces.
[[nodiscard]] TreeMoves moves_of(const SynthesisProblem& problem, const PairPacking& packing, std::uint32_t pieces);

}  // namespace convert
