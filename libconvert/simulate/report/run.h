// SPDX-License-Identifier: MIT
// Makes a run of what a replay found.
#pragma once

#include "core/run.h"
#include "simulate/engine/replay.h"

namespace convert {

// A run of more NPUs than this has slices of one of those that do the same, where the replay is proved to be the
// same for all of them; see Run::classes.
inline constexpr std::uint32_t most_recorded_alone = 128;

// Sets what a replay has to find for a run: the timeline, the use of links over time, what NPUs send each other,
// the causes of the end; where local memory is tracked, its use over time, and then of each NPU. What was to be
// found before, a timeline or an explanation, is found of each NPU, too.
void want_run(ReplayOptions& options);

// Returns the run of a result, of which it takes the timeline. `program` is null where each rank was replayed by
// itself. Title, settings and inputs are for the caller to set.
[[nodiscard]] Run make_run(ReplayResult& result, const ReplayProgram* program);

}  // namespace convert
