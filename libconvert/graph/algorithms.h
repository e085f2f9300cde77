// SPDX-License-Identifier: MIT
// Orders a dependency graph, and finds its cycles and strongly connected components.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace convert {

// Returns the nodes that are not on or behind cycles: parents before children, of those that are ready the lowest.
[[nodiscard]] std::vector<std::uint32_t> topological_order(const Graph& g);
// Returns, for each strongly connected component with a cycle, a shortest one through its lowest node, by that
// node's index: each node depends on the one before it, the first on the last.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> find_cycles(const Graph& g);
// Returns the number of each node's strongly connected component, and sets `count` to how many there are.
[[nodiscard]] std::vector<std::uint32_t> strong_components(const Graph& g, std::uint32_t& count);

}  // namespace convert
