// SPDX-License-Identifier: MIT
// Counts dependencies that say nothing new: those on a node on which another dependency already waits.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace convert {

// Sets how many dependencies are implied by others. `order`: of nodes not behind cycles, parents first; empty if
// that of the file is one. The search from a node goes back only as far as its earliest parent; when it has visited
// 64 nodes for each of the graph, and ten million, `not_searched` counts the dependencies of the nodes that are
// left.
void find_redundant(const Graph& graph, const std::vector<std::uint32_t>* order, std::uint64_t& redundant,
                    std::uint64_t& not_searched);

}  // namespace convert
