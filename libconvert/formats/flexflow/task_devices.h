// SPDX-License-Identifier: MIT
// Gives the tasks of a stock graph their ranks, as a device map says.
#pragma once

#include "config/device_map.h"
#include "core/diagnostic.h"
#include "formats/flexflow/task_graph.h"

namespace convert::flexflow {

// Every task must be matched, as config/device_matcher.h says; a Comm task is a transfer. One within a rank becomes
// a copy. Throws Error(input): tasks that nothing matches, a node's entry of the wrong kind. Entries that match
// nothing, and transfers without a size, are warnings.
void place_tasks(TaskGraph& graph, const DeviceMap& map, Diagnostics& diagnostics);

}  // namespace convert::flexflow
