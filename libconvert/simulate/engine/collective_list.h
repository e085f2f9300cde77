// SPDX-License-Identifier: MIT
// Lists the collectives of a replay, with one entry for each time that a group runs one.
#pragma once

#include <vector>

#include "simulate/engine/replay.h"
#include "simulate/system/state.h"

namespace convert {

// Holds a collective that was called, as the system layer knows it.
struct CalledCollective {
  CollectiveRun run{};
  bool ended = false;  // on all NPUs
  // How long an NPU was in it and computed nothing, mean and highest of its NPUs; where it has ended.
  Picoseconds exposed_mean_ps = 0;
  Picoseconds exposed_max_ps = 0;
  std::uint32_t alike = 1;  // groups that run it so, where one is listed for all
};

// Holds what a replay comes to, with its collectives still as the system layer knows them.
struct ReplayOutcome {
  ReplayResult result;
  std::vector<CalledCollective> called;
};

// Returns the collectives by the time of their first call; those of one time by the NPU that called first.
[[nodiscard]] std::vector<CollectiveResult> list_collectives(const ReplayProgram& program,
                                                             const std::vector<CalledCollective>& called);

}  // namespace convert
