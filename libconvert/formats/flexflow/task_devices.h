// SPDX-License-Identifier: MIT
// Gives the tasks of a stock graph their ranks, as a device map says.
#pragma once

#include "config/device_map.h"
#include "core/diagnostic.h"
#include "formats/flexflow/task_graph.h"

namespace convert::flexflow {

// Gives every task the ranks of its entry (config/device_matcher.h); a Comm task becomes a transfer, or a copy if
// both its ends are one rank. Throws Error(input) [devices] on tasks without an entry, and entries of the wrong
// kind. Warns of entries without a task, and of transfers without a size.
void place_tasks(TaskGraph& graph, const DeviceMap& map, Diagnostics& diagnostics);

}  // namespace convert::flexflow
