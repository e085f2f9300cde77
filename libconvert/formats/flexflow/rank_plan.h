// SPDX-License-Identifier: MIT
// Plan of the nodes and dependencies of each rank's trace for a task graph, by the rules of graph/task_ranks.h.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/flexflow/task_graph.h"
#include "formats/flexflow/task_order.h"

namespace convert::flexflow {

enum class Cross : std::uint8_t { error, message };

// Turns edges between computations on different ranks into transfers of 0 bytes. With Cross::error, throws
// Error(input) at such an edge instead. Always throws at an edge to or from a transfer that creates no dependency
// on any rank (see is_carried() in graph/task_ranks.h). The message names both ends.
void join_ranks(TaskGraph& graph, Cross cross);

// One node of a trace.
struct PlannedNode {
  std::uint32_t task = 0;
  bool receive = false;  // the destination's node of a transfer
};

class RankPlan {
 public:
  RankPlan() = default;
  // Plans a graph after join_ranks(); all its tasks must have ranks. Throws Error(input) if the ranks are not
  // 0…n-1.
  RankPlan(const TaskGraph& graph, const TaskOrder& order);
  // Returns a plan in which all tasks are nodes of one trace.
  [[nodiscard]] static RankPlan whole(const TaskOrder& order);

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(begin_.size() - 1); }
  // Returns the number of nodes of a rank. Their ids are 0…nodes(rank)-1, parents first.
  [[nodiscard]] std::uint32_t nodes(Rank rank) const { return begin_[rank + 1] - begin_[rank]; }
  [[nodiscard]] PlannedNode node(Rank rank, std::uint32_t id) const {
    const std::uint32_t entry = entries_[begin_[rank] + id];
    return {.task = entry >> 1U, .receive = (entry & 1U) != 0};
  }
  // Sets `out` to the ids of the parents of a node of the rank, ascending.
  void parents(const TaskGraph& graph, const TaskOrder& order, Rank rank, PlannedNode node,
               std::vector<NodeId>& out) const;

 private:
  bool whole_ = false;
  std::vector<std::uint32_t> begin_ = {0};  // by rank, plus the end: index into entries_
  std::vector<std::uint32_t> entries_;      // task · 2 + receive
  std::vector<std::uint32_t> id_;           // by task: id of its node or send
  std::vector<std::uint32_t> receive_id_;   // by task: id of its receive
};

}  // namespace convert::flexflow
