// SPDX-License-Identifier: MIT
#include "analyze/sets/redundant.h"

#include <algorithm>

#include "core/trace.h"

namespace convert {

void find_redundant(const Graph& graph, const std::vector<std::uint32_t>* order, std::uint64_t& redundant,
                    std::uint64_t& not_searched) {
  std::vector<std::uint32_t> place(graph.size(), order == nullptr ? 0 : no_index);
  const std::size_t n = order == nullptr ? graph.size() : order->size();
  for (std::uint32_t k = 0; k < n; ++k) place[order == nullptr ? k : (*order)[k]] = k;
  std::vector<std::uint32_t> seen(graph.size());  // 1 + position for which the node was visited
  std::vector<std::uint32_t> stack;
  std::uint64_t left = 64 * std::uint64_t{graph.size()} + 10'000'000;
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t node = order == nullptr ? k : (*order)[k];
    const auto parents = graph.parents(node);
    if (parents.size() < 2) continue;
    if (left == 0) {
      not_searched += parents.size();
      continue;
    }
    std::uint32_t earliest = k;
    for (const Edge& e : parents) earliest = std::min(earliest, place[e.node]);
    for (const Edge& e : parents) stack.push_back(e.node);
    while (!stack.empty() && left != 0) {
      const std::uint32_t at = stack.back();
      stack.pop_back();
      --left;
      for (const Edge& e : graph.parents(at)) {
        if (place[e.node] < earliest || seen[e.node] == k + 1) continue;
        seen[e.node] = k + 1;
        stack.push_back(e.node);
      }
    }
    const bool whole = stack.empty();
    stack.clear();
    if (!whole) {
      not_searched += parents.size();
      continue;
    }
    redundant += static_cast<std::uint64_t>(
        std::count_if(parents.begin(), parents.end(), [&](const Edge& e) { return seen[e.node] == k + 1; }));
  }
}

}  // namespace convert
