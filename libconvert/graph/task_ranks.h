// SPDX-License-Identifier: MIT
// Mapping of the tasks of a whole system to the nodes of ranks, with the dependencies between these nodes.
//
// A computation is one node on its rank. A transfer is a send on its source and a receive on its destination. For
// an edge A -> B, each node of B depends, on its rank r,
//   on A's receive, if A is a transfer to r,
//   on A's node, if A is a computation on r,
//   on A's send, if A is a transfer from r and B's node is not a receive.
// So rings of transfers are ordered by arrivals, and a receive never waits for a send before it.
#pragma once

#include <cstdint>
#include <limits>

#include "core/trace.h"

namespace convert {

inline constexpr Rank no_rank = std::numeric_limits<Rank>::max();

struct TaskRanks {
  Rank rank = no_rank;  // source of a transfer
  Rank peer = no_rank;  // destination of a transfer

  [[nodiscard]] bool is_transfer() const { return peer != no_rank; }
  [[nodiscard]] bool runs_on(Rank r) const { return rank == r || (is_transfer() && peer == r); }
};

// Selects the node of `parent` that a task's node on rank `r` waits for. `receives`: the task's node is a receive.
enum class Awaited : std::uint8_t { nothing, task_or_send, receive };
[[nodiscard]] inline Awaited awaited(const TaskRanks& parent, Rank r, bool receives) {
  if (parent.is_transfer() && parent.peer == r) return Awaited::receive;
  return parent.rank == r && !(receives && parent.is_transfer()) ? Awaited::task_or_send : Awaited::nothing;
}

// Returns whether an edge between the two tasks creates a dependency on at least one rank.
[[nodiscard]] inline bool is_carried(const TaskRanks& from, const TaskRanks& to) {
  if (!to.is_transfer()) return from.runs_on(to.rank);
  if (!from.is_transfer()) return to.runs_on(from.rank);
  return from.peer == to.rank || from.rank == to.rank || from.peer == to.peer;
}

}  // namespace convert
