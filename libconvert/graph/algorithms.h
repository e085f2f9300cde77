// SPDX-License-Identifier: MIT
// Graph algorithms on the dependency view.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace convert {

// Returns parents before children, among ready nodes the lowest index first; fewer than size() if there is a cycle.
[[nodiscard]] std::vector<std::uint32_t> topological_order(const Graph& g);
// Returns one shortest cycle through the lowest-index node that lies on any: each node depends on the one before
// it, the first on the last. Empty if there is none.
[[nodiscard]] std::vector<std::uint32_t> find_cycle(const Graph& g);
// Returns one such cycle per strongly connected component, in the order of their lowest nodes.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> find_cycles(const Graph& g);
// Returns the number of each node's strongly connected component, and their count.
[[nodiscard]] std::vector<std::uint32_t> strong_components(const Graph& g, std::uint32_t& count);

}  // namespace convert
