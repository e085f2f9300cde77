// SPDX-License-Identifier: MIT
// Redundant dependencies: the node also depends on them through another dependency.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace convert {

// Counts the dependencies that others imply. `order`: the nodes that are not on or after a cycle, parents first;
// null if the order of the file has this property. The search from a node goes back only to its earliest parent.
// The search ends after 64 visits per node of the graph plus ten million. `not_searched` counts the dependencies of
// the nodes that remain.
void find_redundant(const Graph& graph, const std::vector<std::uint32_t>* order, std::uint64_t& redundant,
                    std::uint64_t& not_searched);

}  // namespace convert
