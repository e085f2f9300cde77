// SPDX-License-Identifier: MIT
// Topological order, cycles and strongly connected components of a dependency graph.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace convert {

// Returns the nodes that are neither on a cycle nor descendants of a cycle: parents before children, and the lowest
// index first among ready nodes.
[[nodiscard]] std::vector<std::uint32_t> topological_order(const Graph& g);
// Returns a shortest cycle through the lowest node of each strongly connected component that has a cycle, ordered
// by that node. Each node of a cycle depends on the previous one, and the first on the last.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> find_cycles(const Graph& g);
// Returns the number of each node's strongly connected component, and sets `count` to the number of components.
[[nodiscard]] std::vector<std::uint32_t> strong_components(const Graph& g, std::uint32_t& count);

}  // namespace convert
