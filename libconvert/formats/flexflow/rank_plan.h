// SPDX-License-Identifier: MIT
// Which nodes the trace of each rank gets from the tasks of a graph, and how they depend on each other: by the
// rules of graph/task_ranks.h.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/flexflow/task_graph.h"
#include "formats/flexflow/task_order.h"

namespace convert::flexflow {

enum class Cross : std::uint8_t { error, message };

// Edges between computations of different ranks become transfers of no bytes, or, with Cross::error, an
// Error(input) that names both. So is, always, an edge between a transfer and a task that share no rank, and one
// between two transfers that the rules give nothing.
void join_ranks(TaskGraph& graph, Cross cross);

// One node of a trace.
struct PlannedNode {
  std::uint32_t task = 0;
  bool receive = false;  // of a transfer: the destination's side
};

class RankPlan {
 public:
  RankPlan() = default;
  // Of a graph whose tasks all have ranks; joined. Throws Error(input) on ranks that are not 0…n-1 without gaps.
  RankPlan(const TaskGraph& graph, const TaskOrder& order);
  // All tasks as nodes of one trace.
  [[nodiscard]] static RankPlan whole(const TaskOrder& order);

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(begin_.size() - 1); }
  // Ids of a rank's nodes: 0…nodes(rank)-1, parents first.
  [[nodiscard]] std::uint32_t nodes(Rank rank) const { return begin_[rank + 1] - begin_[rank]; }
  [[nodiscard]] PlannedNode node(Rank rank, std::uint32_t id) const {
    const std::uint32_t entry = entries_[begin_[rank] + id];
    return {.task = entry >> 1U, .receive = (entry & 1U) != 0};
  }
  // The ids, ascending, that a node of the rank depends on.
  void parents(const TaskGraph& graph, const TaskOrder& order, Rank rank, PlannedNode node,
               std::vector<NodeId>& out) const;

 private:
  bool whole_ = false;
  std::vector<std::uint32_t> begin_ = {0};  // by rank, and one more: into entries_
  std::vector<std::uint32_t> entries_;      // task · 2 + receive
  std::vector<std::uint32_t> id_;           // by task: of its node, or of its send
  std::vector<std::uint32_t> receive_id_;   // by task
};

}  // namespace convert::flexflow
