// SPDX-License-Identifier: MIT
// Converts the result of a replay to a run.
#pragma once

#include "core/run.h"
#include "simulate/engine/replay.h"

namespace convert {

// Only one NPU per class has slices in a run of more NPUs than this, if the replay is provably the same for all
// NPUs of the class. See Run::classes.
inline constexpr std::uint32_t most_recorded_alone = 128;

// Enables the results of a replay that a run needs: the timeline, the use of links over time, the traffic of NPU
// pairs, and the causes of the end. If local memory is tracked, also enables its use over time, for each NPU.
// Results that were enabled before (a timeline or an explanation) are also found for each NPU.
void want_run(ReplayOptions& options);

// Returns the run of a result, and moves the timeline out of the result. `program` is null if each rank was
// replayed separately. The caller must set title, settings and inputs.
[[nodiscard]] Run make_run(ReplayResult& result, const ReplayProgram* program);

}  // namespace convert
