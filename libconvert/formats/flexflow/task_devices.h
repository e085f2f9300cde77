// SPDX-License-Identifier: MIT
// Gives the tasks of a stock graph their ranks, as a device map says.
#pragma once

#include "config/device_map.h"
#include "core/diagnostic.h"
#include "formats/flexflow/task_graph.h"

namespace convert::flexflow {

// Gives every task the ranks of its entry (config/device_matcher.h); a Comm task is a transfer, or a copy within
// one rank. Throws Error(input): a task without an entry, a task number's entry of the wrong kind. Warns of entries
// without a task, and of transfers without a size.
void place_tasks(TaskGraph& graph, const DeviceMap& map, Diagnostics& diagnostics);

}  // namespace convert::flexflow
