// SPDX-License-Identifier: MIT
// The collectives of a replay, one for each time that a group runs one.
#pragma once

#include <vector>

#include "simulate/engine/replay.h"
#include "simulate/system/state.h"

namespace convert {

// One that was called, as the system layer knows it.
struct CalledCollective {
  CollectiveRun run{};
  bool ended = false;  // on all NPUs
  // In which an NPU that was in it computed nothing, over its NPUs; where it has ended.
  Picoseconds exposed_mean_ps = 0;
  Picoseconds exposed_max_ps = 0;
};

// What a replay comes to before it is told by rank and group.
struct ReplayOutcome {
  ReplayResult result;
  std::vector<CalledCollective> called;
};

// In the order of their begin, at the same time of the NPUs that called first.
[[nodiscard]] std::vector<CollectiveResult> list_collectives(const ReplayProgram& program,
                                                             const std::vector<CalledCollective>& called);

}  // namespace convert
