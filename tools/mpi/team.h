// SPDX-License-Identifier: MIT
// Joins the processes that mpirun has started for one sweep.
#pragma once

#include <memory>

#include "replay/sweep.h"

namespace tools {

// Returns null if this process is alone; MPI is not touched if mpirun has not started it. Throws Error(usage) if
// there are others, but no MPI to talk to them.
[[nodiscard]] std::unique_ptr<SweepTeam> join_team();

}  // namespace tools
