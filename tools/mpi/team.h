// SPDX-License-Identifier: MIT
// The processes that mpirun has started for one sweep.
#pragma once

#include <memory>

#include "replay/sweep.h"

namespace tools {

// Returns null, without touching MPI, if this process was not started together with others. Throws Error(usage) if
// it was, but the program is built without MPI.
[[nodiscard]] std::unique_ptr<SweepTeam> join_team();

}  // namespace tools
