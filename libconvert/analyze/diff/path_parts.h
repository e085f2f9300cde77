// SPDX-License-Identifier: MIT
// Divides the critical path of a run into what it is made of: computing, collectives, waiting for an NPU.
//
// The path of a straggler leads through its computing. But that is of two sorts: the others may compute as well, or
// they may stand and wait. So what an NPU does on the path before it comes to a collective, or sends a message, is
// "waiting for NPU 5" from when at least half of the others have nothing left to do but wait: of the others of the
// group, or for a message of all others.
#pragma once

#include <functional>
#include <string>

#include "core/run.h"

namespace convert {

// Calls part(what, name, time) for the parts of the path, which add up to the path: what the time is, such as
// "computing", "all_reduce" or "waiting for NPU 5", the name of the node, and how long. The names stand as long as
// the run.
void for_each_path_part(
    const Run& run,
    const std::function<void(const std::string& what, std::string_view name, Picoseconds time)>& part);

}  // namespace convert
