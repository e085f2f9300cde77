// SPDX-License-Identifier: MIT
// Maximum flow between two nodes of a directed graph, and a minimum cut, with integer capacities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rows.h"

namespace convert {

// Uses Dinic's algorithm: shortest paths first, searched from the sink. Capacities can be changed between flows.
// Each flow begins anew, and its cost depends on the nodes that it touches, not on the whole graph. For flows from
// several sources at once, add a node with an arc to each source.
class MaxFlow {
 public:
  struct Arc {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };
  // All capacities are 0 initially. Arcs are numbered in their order.
  MaxFlow(std::uint32_t nodes, std::span<const Arc> arcs);

  // Sets the capacity of an arc, 0 to 2^62.
  void set_capacity(std::uint32_t arc, std::int64_t capacity);
  [[nodiscard]] std::int64_t capacity(std::uint32_t arc) const;

  // Returns the maximum flow from a node to another, or `limit`, at most 2^62, if the flow reaches it.
  std::int64_t run(std::uint32_t source, std::uint32_t sink, std::int64_t limit);

  // Valid for the last flow until capacities change. flow() returns the flow over an arc; the flow of an opposite
  // arc is not subtracted. on_source_side() returns whether a node is on the source's side of the minimum cut with
  // the fewest nodes there; it requires that the flow was below its limit.
  [[nodiscard]] std::int64_t flow(std::uint32_t arc) const;
  [[nodiscard]] bool on_source_side(std::uint32_t node) const { return level_[node] != unseen; }

 private:
  // Arcs are pairs of halves at their two ends: one carries the flow, the other cancels it.
  struct Half {
    std::uint32_t to = 0;
    std::uint32_t twin = 0;
    std::int64_t residual = 0;
  };
  static constexpr std::uint32_t unseen = UINT32_MAX;

  void undo();
  void touch(std::uint32_t half);
  void set_active(std::uint32_t half, bool active);
  void swap(std::uint32_t a, std::uint32_t b);
  bool set_levels(std::uint32_t source, std::uint32_t sink);
  std::int64_t augment(std::uint32_t source, std::uint32_t sink, std::int64_t limit);
  [[nodiscard]] bool advance(std::uint32_t node);

  std::vector<std::uint32_t> begin_;  // by node, into halves_; one more at the end
  std::vector<std::uint32_t> end_;    // by node: end of its active halves, which belong to arcs with a capacity
  std::vector<Half> halves_;
  std::vector<std::uint32_t> half_of_;    // by arc: the half that carries the flow
  std::vector<std::uint32_t> arc_of_;     // by half: the arc whose flow it carries; no_index: it cancels flow
  std::vector<std::int64_t> capacity_;    // by half; 0 for halves that cancel flow
  std::vector<std::uint32_t> touched_;    // halves whose residual may differ from their capacity
  std::vector<std::uint8_t> is_touched_;  // by half
  std::vector<std::uint32_t> level_;      // by node: arcs from the source
  std::vector<std::uint32_t> next_;       // by node: the half to try next
  std::vector<std::uint32_t> seen_;       // nodes with a level, in the order in which they were reached
  std::vector<std::uint32_t> way_;        // halves from the source to the current node of the search
};

}  // namespace convert
