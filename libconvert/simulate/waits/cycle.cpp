// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "simulate/waits/graph.h"

namespace convert {
namespace {

constexpr std::uint32_t unseen = 0xffffffff;

class CycleFinder {
 public:
  explicit CycleFinder(const WaitGraph& graph) : graph_(graph), core_(graph.vertices(), true) {}

  // Returns a cycle that shares no node with the cycles found before; empty if none exists.
  std::vector<std::uint32_t> find() {
    trim();
    best_.clear();
    const auto first = std::find(core_.begin(), core_.end(), true);
    if (first == core_.end()) return {};
    walk(static_cast<std::uint32_t>(first - core_.begin()));
    seen_.assign(graph_.vertices(), unseen);
    from_.resize(graph_.vertices());
    for (const bool started : {true, false}) {
      for (std::uint32_t v = 0; v < graph_.size() && best_.size() > 2 && budget_ > 0; ++v) {
        if (core_[v] && graph_.started(v) == started) search(v);
      }
    }
    std::rotate(best_.begin(), std::min_element(best_.begin(), best_.end()), best_.end());
    for (const std::uint32_t v : best_) core_[v] = false;
    return best_;
  }

 private:
  [[nodiscard]] bool is_node(std::uint32_t v) const { return v < graph_.size(); }

  // Keeps in the core only the vertices from which a cycle within the core can be reached.
  void trim() {
    const std::uint32_t n = graph_.vertices();
    std::vector<std::size_t> begin(n + std::size_t{1}, 0);
    std::vector<std::size_t> left(n);
    const auto for_edges = [&](const auto& visit) {
      for (std::uint32_t v = 0; v < n; ++v) {
        for (const std::uint32_t w : graph_.waits_for(v)) {
          if (core_[v] && core_[w]) visit(v, w);
        }
      }
    };
    for_edges([&](std::uint32_t v, std::uint32_t w) {
      ++left[v];
      ++begin[w + 1];
    });
    for (std::uint32_t v = 0; v < n; ++v) begin[v + 1] += begin[v];
    std::vector<std::uint32_t> sources(begin[n]);
    std::vector<std::size_t> fill(begin.begin(), begin.end() - 1);
    for_edges([&](std::uint32_t v, std::uint32_t w) { sources[fill[w]++] = v; });
    std::vector<std::uint32_t> free;
    for (std::uint32_t v = 0; v < n; ++v) {
      if (core_[v] && left[v] == 0) free.push_back(v);
    }
    while (!free.empty()) {
      const std::uint32_t v = free.back();
      free.pop_back();
      core_[v] = false;
      for (std::size_t i = begin[v]; i < begin[v + 1]; ++i) {
        if (--left[sources[i]] == 0) free.push_back(sources[i]);
      }
    }
  }

  [[nodiscard]] std::uint32_t first_in_core(std::uint32_t v) const {
    const auto targets = graph_.waits_for(v);
    return *std::find_if(targets.begin(), targets.end(), [this](std::uint32_t w) { return core_[w]; });
  }

  void walk(std::uint32_t v) {
    std::vector<std::uint32_t> place(graph_.vertices(), unseen);
    std::vector<std::uint32_t> path;
    for (; place[v] == unseen; v = first_in_core(v)) {
      place[v] = static_cast<std::uint32_t>(path.size());
      path.push_back(v);
    }
    for (std::size_t i = place[v]; i < path.size(); ++i) {
      if (is_node(path[i])) best_.push_back(path[i]);
    }
  }

  // Searches breadth first from `start` back to itself.
  void search(std::uint32_t start) {
    queue_.assign(1, start);
    seen_[start] = start;
    std::size_t length = 1;  // of a cycle that is closed at the current level
    for (std::size_t i = 0, level_end = 1; i < queue_.size(); ++i) {
      if (i == level_end) {
        level_end = queue_.size();
        if (++length >= best_.size()) return;
      }
      if (!expand(start, queue_[i])) return;
    }
  }

  // Returns false if the search is over. A collective under way is not a node, so the vertices that it waits for
  // have the same distance as the collective.
  bool expand(std::uint32_t start, std::uint32_t v) {
    for (const std::uint32_t w : graph_.waits_for(v)) {
      if (budget_-- <= 0) return false;
      if (w == start) return keep(start, v);
      if (!core_[w] || seen_[w] == start) continue;
      seen_[w] = start;
      from_[w] = v;
      if (is_node(w)) {
        queue_.push_back(w);
      } else if (!expand(start, w)) {
        return false;
      }
    }
    return true;
  }

  bool keep(std::uint32_t start, std::uint32_t last) {
    std::vector<std::uint32_t> cycle;
    for (; last != start; last = from_[last]) {
      if (is_node(last)) cycle.push_back(last);
    }
    cycle.push_back(start);
    if (cycle.size() >= best_.size()) return false;
    std::reverse(cycle.begin(), cycle.end());
    best_ = std::move(cycle);
    return false;
  }

  const WaitGraph& graph_;
  std::vector<bool> core_;
  std::vector<std::uint32_t> best_;
  std::vector<std::uint32_t> seen_;
  std::vector<std::uint32_t> from_;
  std::vector<std::uint32_t> queue_;
  std::int64_t budget_ = 20'000'000;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> separate_cycles(const WaitGraph& graph, std::size_t most) {
  CycleFinder finder(graph);
  std::vector<std::vector<std::uint32_t>> cycles;
  while (cycles.size() < most) {
    auto cycle = finder.find();
    if (cycle.empty()) break;
    cycles.push_back(std::move(cycle));
  }
  return cycles;
}

}  // namespace convert
