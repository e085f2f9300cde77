// SPDX-License-Identifier: MIT
#include "graph/algorithms.h"

#include <algorithm>
#include <bit>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/property_map/property_map.hpp>
#include <utility>

namespace convert {
namespace {

std::uint32_t node_count(const Graph& g) { return static_cast<std::uint32_t>(g.size()); }

// Set of indices with extraction of the lowest: a tree of 64-bit words in which a bit is set if its subtree is not
// empty.
class LowestFirst {
 public:
  explicit LowestFirst(std::size_t size) {
    do {
      size = (size + 63) / 64;
      levels_.emplace_back(size);
    } while (size > 1);
  }
  void insert(std::size_t i) {
    for (std::vector<std::uint64_t>& level : levels_) {
      const std::uint64_t before = level[i / 64];
      level[i / 64] |= std::uint64_t{1} << (i % 64);
      if (before != 0) return;
      i /= 64;
    }
  }
  [[nodiscard]] bool empty() const { return levels_.back().empty() || levels_.back()[0] == 0; }
  std::size_t take() {
    std::size_t i = 0;
    for (std::size_t l = levels_.size(); l-- > 0;)
      i = i * 64 + static_cast<std::size_t>(std::countr_zero(levels_[l][i]));
    const std::size_t taken = i;
    for (std::vector<std::uint64_t>& level : levels_) {
      level[i / 64] &= ~(std::uint64_t{1} << (i % 64));
      if (level[i / 64] != 0) break;
      i /= 64;
    }
    return taken;
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;  // from the leaves to the single root word
};

// Returns the first cycle found by a breadth-first search from `start` within its component.
std::vector<std::uint32_t> shortest_cycle(const Graph& g, const std::vector<std::uint32_t>& component,
                                          std::uint32_t start, std::vector<std::uint32_t>& came_from,
                                          std::vector<std::uint32_t>& queue) {
  queue.assign(1, start);
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::uint32_t at = queue[head];
    for (const Edge& e : g.children(at)) {
      if (e.node == start) {
        std::vector<std::uint32_t> cycle;
        for (std::uint32_t i = at; i != start; i = came_from[i]) cycle.push_back(i);
        cycle.push_back(start);
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
      }
      if (component[e.node] != component[start] || came_from[e.node] != no_index) continue;
      came_from[e.node] = at;
      queue.push_back(e.node);
    }
  }
  return {};
}

}  // namespace

std::vector<std::uint32_t> topological_order(const Graph& g) {
  const std::uint32_t n = node_count(g);
  std::vector<std::uint32_t> order;
  order.reserve(n);
  std::vector<std::uint32_t> open(n);
  LowestFirst ready(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    open[i] = static_cast<std::uint32_t>(g.parents(i).size());
    if (open[i] == 0) ready.insert(i);
  }
  while (!ready.empty()) {
    const auto i = static_cast<std::uint32_t>(ready.take());
    order.push_back(i);
    for (const Edge& e : g.children(i)) {
      if (--open[e.node] == 0) ready.insert(e.node);
    }
  }
  return order;
}

std::vector<std::vector<std::uint32_t>> find_cycles(const Graph& g) {
  if (topological_order(g).size() == g.size()) return {};  // cheaper than components, and the usual case
  std::uint32_t count = 0;
  const std::vector<std::uint32_t> component = strong_components(g, count);
  std::vector<std::uint32_t> size(count);
  for (const std::uint32_t c : component) ++size[c];
  std::vector<std::vector<std::uint32_t>> cycles;
  std::vector<std::uint32_t> came_from(g.size(), no_index);
  std::vector<std::uint32_t> queue;
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    if (size[component[i]] < 2) continue;
    size[component[i]] = 0;  // done
    cycles.push_back(shortest_cycle(g, component, i, came_from, queue));
  }
  return cycles;
}

std::vector<std::uint32_t> strong_components(const Graph& g, std::uint32_t& count) {
  std::vector<std::uint32_t> component(g.size());
  count = 0;
  if (component.empty()) return component;
  using Compressed = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                        boost::no_property, std::uint32_t, std::uint32_t>;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  edges.reserve(g.edges());
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    for (const Edge& e : g.children(i)) edges.emplace_back(i, e.node);
  }
  const Compressed rows(boost::edges_are_sorted, edges.begin(), edges.end(), node_count(g));
  edges = {};  // frees memory as large as the compressed rows
  count = boost::strong_components(
      rows, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, rows)));
  return component;
}

}  // namespace convert
