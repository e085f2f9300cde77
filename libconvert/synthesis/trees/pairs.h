// SPDX-License-Identifier: MIT
// Packs pairs of trees for an all-reduce: a chunk is reduced along one tree, and distributed from its root along
// another one, for all chunks at once.
//
// A reduce-scatter followed by an all-gather of equal shards cannot use links out of weak NPUs well. Pairs of trees
// with arbitrary roots can, as reduction and distribution overlap.
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
  double load = 0;  // largest load of a link, relative to the bound
};

// Packs a pair for each of `roots`, which may contain duplicates. Each pair has the same share of the data.
// `share`: the fraction of all data that a link of bandwidth 1 can carry within the bound. choice.trees is ignored.
// Returns nothing in the cases of pack_trees().
[[nodiscard]] std::optional<PairPacking> pack_pairs(const SynthesisProblem& problem, std::span<const Device> roots,
                                                    double share, TreeChoice choice);

// Returns the moves of all pairs, each with its share of the data in `pieces` chunks.
[[nodiscard]] TreeMoves moves_of(const SynthesisProblem& problem, const PairPacking& packing, std::uint32_t pieces);

}  // namespace convert
