// SPDX-License-Identifier: MIT
// Orders the tasks of a graph so that parents come first, and lists each task's parents in flat tables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/flexflow/task_graph.h"

namespace convert::flexflow {

struct TaskOrder {
  std::vector<std::uint32_t> order;         // all tasks; where several may come next, the first in the file
  std::vector<std::uint32_t> first_parent;  // by task, and one more: into parent_list
  std::vector<std::uint32_t> parent_list;   // in the order of the edges in the file

  [[nodiscard]] std::span<const std::uint32_t> parents(std::uint32_t task) const {
    return {parent_list.data() + first_parent[task], first_parent[task + 1] - first_parent[task]};
  }
};

// Returns the order. Throws Error(input) that shows a cycle, at its first task in the file.
[[nodiscard]] TaskOrder order_tasks(const TaskGraph& graph);

}  // namespace convert::flexflow
