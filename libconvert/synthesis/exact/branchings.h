// SPDX-License-Identifier: MIT
// Packs trees of several roots into a graph whose edges have capacities, so that none is used beyond them.
//
// All trees grow together, by the nearest node first. A tree may take an edge to a node if all other trees can
// still be finished: for each set of nodes the edges into it must be enough for the trees that have no node in it
// (Edmonds; for several roots and trees that have begun Bérczi and Frank). One largest flow tells how many trees
// may.
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

// Trees that are alike: their edges, each behind the one that reaches its beginning.
struct Branching {
  std::uint32_t root = 0;
  std::int64_t count = 0;
  std::vector<std::uint32_t> edges{};  // indices
};

struct BranchingChoice {
  bool together = true;    // all trees grow together; else one after the other
  std::uint64_t seed = 0;  // of what comes first of nodes that are as near; 0: the next ones by number
};

// Returns `trees` trees of each root to all nodes; none if there are no such trees. At most one edge leads from a
// node to another.
[[nodiscard]] std::optional<std::vector<Branching>> pack_branchings(std::uint32_t nodes,
                                                                    std::span<const BranchingEdge> edges,
                                                                    std::span<const std::uint32_t> roots,
                                                                    std::int64_t trees,
                                                                    const BranchingChoice& choice);

}  // namespace convert
