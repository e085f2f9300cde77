// SPDX-License-Identifier: MIT
// Makes a run of a set whose nodes say when they ran: linked PyTorch traces, Kineto's, any with recorded times.
#pragma once

#include <span>
#include <string>

#include "core/diagnostic.h"
#include "core/run.h"
#include "core/trace.h"

namespace convert {

// Returns the run that the traces, ascending by rank, record. Times are start_nanos (plus base_time_nanos of the
// metadata) and duration_nanos, else those of the microsecond fields; they count from the first begin. Calls are by
// group and number, arrows and the matrix by messages that meet; the critical path goes back along what ended last
// (path.h). `name` is the name of the set, for messages. Throws Error(input) if no node states when it ran, or if
// the times span more than 106 days; warns of ranks whose times do not overlap.
[[nodiscard]] Run recorded_run(std::span<const Trace> traces, const std::string& name, Diagnostics& diagnostics);

}  // namespace convert
