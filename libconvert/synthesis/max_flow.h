// SPDX-License-Identifier: MIT
// Finds the largest flow between two nodes of a directed graph, and a smallest cut, with integer capacities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rows.h"

namespace convert {

// By Dinic's algorithm: shortest ways first, found from the sink. Capacities can be changed between flows; each
// flow begins anew, and costs what it touches, not the whole graph. Questions from several sources at once want a
// node of their own with an arc to each.
class MaxFlow {
 public:
  struct Arc {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };
  // All capacities are 0 at first. Arcs are numbered in their order.
  MaxFlow(std::uint32_t nodes, std::span<const Arc> arcs);

  // Sets what an arc can carry, 0 to 2^62.
  void set_capacity(std::uint32_t arc, std::int64_t capacity);
  [[nodiscard]] std::int64_t capacity(std::uint32_t arc) const;

  // Returns the largest flow from a node to another, or `limit`, at most 2^62, if it is as large as that or larger.
  std::int64_t run(std::uint32_t source, std::uint32_t sink, std::int64_t limit);

  // Return of the last flow, until capacities change, what goes over an arc (that against an arc of the same ends
  // is not subtracted); and, if it was below its limit, whether a node is on the source's side of the smallest cut
  // that has fewest nodes there.
  [[nodiscard]] std::int64_t flow(std::uint32_t arc) const;
  [[nodiscard]] bool on_source_side(std::uint32_t node) const { return level_[node] != unseen; }

 private:
  // Arcs come in pairs at their two ends: one takes flow along, the other takes it back.
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
  std::vector<std::uint32_t> end_;    // by node: of its halves that are active, those of arcs with a capacity
  std::vector<Half> halves_;
  std::vector<std::uint32_t> half_of_;    // by arc: the half that takes flow along
  std::vector<std::uint32_t> arc_of_;     // by half: the arc that it takes flow along; no_index: it takes back
  std::vector<std::int64_t> capacity_;    // by half; 0 of those that take back
  std::vector<std::uint32_t> touched_;    // halves whose residual may not be their capacity
  std::vector<std::uint8_t> is_touched_;  // by half
  std::vector<std::uint32_t> level_;      // by node: arcs from the source
  std::vector<std::uint32_t> next_;       // by node: the half to try next
  std::vector<std::uint32_t> seen_;       // nodes with a level, in the order in which they got it
  std::vector<std::uint32_t> way_;        // halves from the source to where the search is
};

}  // namespace convert
