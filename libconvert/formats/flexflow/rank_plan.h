// SPDX-License-Identifier: MIT
// Plans the nodes of each rank's trace and their dependencies from a graph of tasks, as graph/task_ranks.h says.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/flexflow/task_graph.h"
#include "formats/flexflow/task_order.h"

namespace convert::flexflow {

enum class Cross : std::uint8_t { error, message };

// Turns edges between computations of different ranks into transfers of no bytes. Throws Error(input) that names
// both ends, with Cross::error at such an edge, and always at one from or to a transfer that gives no rank a
// dependency (see is_carried() in graph/task_ranks.h).
void join_ranks(TaskGraph& graph, Cross cross);

// One node of a trace.
struct PlannedNode {
  std::uint32_t task = 0;
  bool receive = false;  // of a transfer: the destination's side
};

class RankPlan {
 public:
  RankPlan() = default;
  // Plans a graph after join_ranks(), whose tasks all have ranks. Throws Error(input) unless the ranks are 0…n-1.
  RankPlan(const TaskGraph& graph, const TaskOrder& order);
  // Returns a plan that makes all tasks nodes of one trace.
  [[nodiscard]] static RankPlan whole(const TaskOrder& order);

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(begin_.size() - 1); }
  // Returns the number of a rank's nodes, whose ids are 0…nodes(rank)-1, parents first.
  [[nodiscard]] std::uint32_t nodes(Rank rank) const { return begin_[rank + 1] - begin_[rank]; }
  [[nodiscard]] PlannedNode node(Rank rank, std::uint32_t id) const {
    const std::uint32_t entry = entries_[begin_[rank] + id];
    return {.task = entry >> 1U, .receive = (entry & 1U) != 0};
  }
  // Sets `out` to the ids, ascending, that a node of the rank depends on.
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
