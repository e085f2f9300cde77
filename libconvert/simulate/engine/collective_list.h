// SPDX-License-Identifier: MIT
// Collectives of a replay, with one entry for each run of a collective by a group.
#pragma once

#include <vector>

#include "simulate/engine/replay.h"
#include "simulate/system/state.h"

namespace convert {

// A called collective, as recorded by the collective engine.
struct CalledCollective {
  CollectiveRun run{};
  bool ended = false;  // on all NPUs
  // Time in which an NPU was in it and computed nothing: mean and maximum of its NPUs, if it has ended.
  Picoseconds exposed_mean_ps = 0;
  Picoseconds exposed_max_ps = 0;
  std::uint32_t alike = 1;  // number of equal groups for which this entry is listed
};

// Result of a replay, with its collectives as recorded by the collective engine.
struct ReplayOutcome {
  ReplayResult result;
  std::vector<CalledCollective> called;
};

// Returns the collectives by the time of their first call; simultaneous ones by the NPU that called first.
[[nodiscard]] std::vector<CollectiveResult> list_collectives(const ReplayProgram& program,
                                                             const std::vector<CalledCollective>& called);

}  // namespace convert
