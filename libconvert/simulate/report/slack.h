// SPDX-License-Identifier: MIT
// Finds how much longer each node of a replay could take without extending the replay.
#pragma once

#include <vector>

#include "core/run.h"
#include "simulate/program/program.h"
#include "simulate/report/slice_ops.h"

namespace convert {

// Returns the slack of each slice of a complete run of the program, in the order of the slices; nothing if the run
// is not complete. `ops` are the operations of the program. If only representatives have slices, the program is
// theirs, and NPUs of Run::classes count as their representatives. The latest end of a node is the minimum of the
// latest begins of its successors: its children, the next node in its slot of the NPU, the receive that took its
// message; or the end of the run if it has no successors. All nodes keep their durations and their order. A
// collective, and with rendezvous a send with its receive, is one event: its delay after the last of its nodes has
// begun is constant, and its nodes share their slack. Steps of Run::path have no slack.
//
// The slack is exact for computing and for messages that never wait for each other. It is too high or too low if
// messages queue at links. The same holds for a collective that needs an NPU before its last NPU comes, or needs
// the last NPU later. Time is linear, except for a binary search for each node of ranks whose ids have gaps; memory
// is linear.
[[nodiscard]] std::vector<Picoseconds> find_slack(const ReplayProgram& program, const Run& run,
                                                  const SliceOps& ops);

}  // namespace convert
