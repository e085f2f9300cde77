// SPDX-License-Identifier: MIT
// Places the tasks of a whole system on ranks: says which of a rank's nodes wait for which.
//
// A computation is one node of its rank. A transfer is a send of its source and a receive of its destination. An
// edge A -> B makes each node of B depend, on its rank r,
//   on A's receive, if A is a transfer to r,
//   on A's node, if A is a computation of r,
//   on A's send, if A is a transfer from r and B's node is no receive.
// So rings of transfers are ordered by what arrives, and a receive never waits for a send before it.
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

// Says which node of `parent` a task's node on rank `r` waits for; `receives`: the task's node is a receive.
enum class Awaited : std::uint8_t { nothing, task_or_send, receive };
[[nodiscard]] inline Awaited awaited(const TaskRanks& parent, Rank r, bool receives) {
  if (parent.is_transfer() && parent.peer == r) return Awaited::receive;
  return parent.rank == r && !(receives && parent.is_transfer()) ? Awaited::task_or_send : Awaited::nothing;
}

// Returns whether an edge between the two tasks makes a dependency on some rank.
[[nodiscard]] inline bool is_carried(const TaskRanks& from, const TaskRanks& to) {
  if (!to.is_transfer()) return from.runs_on(to.rank);
  if (!from.is_transfer()) return to.runs_on(from.rank);
  return from.peer == to.rank || from.rank == to.rank || from.peer == to.peer;
}

}  // namespace convert
