// SPDX-License-Identifier: MIT
// Topological order of a task graph, and the parents of each task in flat tables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/flexflow/task_graph.h"

namespace convert::flexflow {

struct TaskOrder {
  std::vector<std::uint32_t> order;         // all tasks; the first in the file among ready tasks
  std::vector<std::uint32_t> first_parent;  // by task, plus the end: index into parent_list
  std::vector<std::uint32_t> parent_list;   // in file order of the edges

  [[nodiscard]] std::span<const std::uint32_t> parents(std::uint32_t task) const {
    return {parent_list.data() + first_parent[task], first_parent[task + 1] - first_parent[task]};
  }
};

// Returns the order. Throws Error(input) that shows a cycle, located at its first task in the file.
[[nodiscard]] TaskOrder order_tasks(const TaskGraph& graph);

}  // namespace convert::flexflow
