// SPDX-License-Identifier: MIT
// Assignment of ranks to the tasks of a stock graph from a device map.
#pragma once

#include "config/devices/device_map.h"
#include "core/diagnostic.h"
#include "formats/flexflow/task_graph.h"

namespace convert::flexflow {

// Gives every task the ranks of its entry (config/devices/device_matcher.h). A Comm task becomes a transfer, or a
// copy if both its ends are one rank. Throws Error(input) [devices] for tasks without an entry and entries of the
// wrong kind. Warns about entries without a task and transfers without a size.
void place_tasks(TaskGraph& graph, const DeviceMap& map, Diagnostics& diagnostics);

}  // namespace convert::flexflow
