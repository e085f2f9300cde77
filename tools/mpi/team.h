// SPDX-License-Identifier: MIT
// Joins the processes that mpirun has started for one sweep.
#pragma once

#include <memory>

#include "replay/sweep.h"

namespace tools {

// Returns null if this process is alone. Loads MPI only if mpirun has started the process. Throws Error(usage) if
// there are other processes, but MPI cannot be loaded.
[[nodiscard]] std::unique_ptr<SweepTeam> join_team();

}  // namespace tools
