// SPDX-License-Identifier: MIT
// Gives the tasks of a stock graph their ranks, as a device map says.
#pragma once

#include "config/device_map.h"
#include "core/diagnostic.h"
#include "formats/flexflow/task_graph.h"

namespace convert::flexflow {

// Every task must be matched: by the entry of its node ("node7" or "7"), else by the first entry in the map's order
// that its name fits, among those with one rank for a computation and those with two for a Comm task. A Comm task
// within a rank becomes a copy. Throws Error(input): tasks that nothing matches, a node's entry of the wrong kind,
// more than max_patterns patterns. Entries that match nothing, and transfers without a size, are warnings.
void place_tasks(TaskGraph& graph, const DeviceMap& map, Diagnostics& diagnostics);
inline constexpr std::size_t max_patterns = 4096;

}  // namespace convert::flexflow
