// SPDX-License-Identifier: MIT
// Finds how much longer each node of a replay may take before the replay takes longer.
#pragma once

#include <vector>

#include "core/run.h"
#include "simulate/program/program.h"
#include "simulate/report/slice_ops.h"

namespace convert {

// Returns the slack of each slice of a complete run of the program, whose operations `ops` finds, in the order of
// the slices; nothing where the run is not complete. Where representatives have slices alone the program is theirs,
// and NPUs of Run::classes count as the one that stands for them. The latest end of a node is the earliest latest
// begin of what followed it: its children, the next node in its slot of the NPU, the receive that took its message;
// the end of the run if nothing followed. All keep the times that they took, and their order. A collective, and
// with rendezvous a send with its receive, is one event: it ends so much after the last of its nodes has begun as
// it did, and they share its slack. Steps of Run::path have none.
//
// Exact for computing and messages that never wait for each other. Where they queue at links, or a collective needs
// an NPU before its last one comes or the last one later, it is too high or too low. Time is linear, but for a
// search of the number of each node whose ids have gaps; memory is linear.
[[nodiscard]] std::vector<Picoseconds> find_slack(const ReplayProgram& program, const Run& run,
                                                  const SliceOps& ops);

}  // namespace convert
