// SPDX-License-Identifier: MIT
// Packs trees of several roots into a graph with edge capacities, so that no edge exceeds its capacity.
//
// All trees grow together, by the nearest node first. A tree may take an edge to a node if all other trees can
// still be completed: for each set of nodes, the edges into it must suffice for the trees without a node in it
// (Edmonds; for several roots and partial trees Bérczi and Frank). One maximum flow yields the number of trees that
// may take it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace convert {

struct BranchingEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t capacity = 0;
  std::int64_t length = 1;
};

// Identical trees: their edges, each after the edge that reaches its start.
struct Branching {
  std::uint32_t root = 0;
  std::int64_t count = 0;
  std::vector<std::uint32_t> edges{};  // indices
};

struct BranchingChoice {
  bool together = true;    // all trees grow together; else one after the other
  std::uint64_t seed = 0;  // of the order among equally near nodes; 0: by number
};

// Returns `trees` trees from each root to all nodes; nothing if they do not exist. There must be at most one edge
// from a node to another.
[[nodiscard]] std::optional<std::vector<Branching>> pack_branchings(std::uint32_t nodes,
                                                                    std::span<const BranchingEdge> edges,
                                                                    std::span<const std::uint32_t> roots,
                                                                    std::int64_t trees,
                                                                    const BranchingChoice& choice);

}  // namespace convert
