// SPDX-License-Identifier: MIT
// Makes a run of what a replay found.
#pragma once

#include "core/run.h"
#include "simulate/engine/replay.h"

namespace convert {

// Sets what a replay has to find for a run: the timeline, the use of links over time, what NPUs send each other,
// the causes of the end; where local memory is tracked, its use over time.
void want_run(ReplayOptions& options);

// Returns the run of a result, of which it takes the timeline. `program` is null where each rank was replayed by
// itself. Title, settings and inputs are for the caller to set.
[[nodiscard]] Run make_run(ReplayResult& result, const ReplayProgram* program);

}  // namespace convert
