// SPDX-License-Identifier: MIT
// Makes a run of a trace set with recorded times: linked PyTorch traces, device traces and others.
#pragma once

#include <span>
#include <string>

#include "core/diagnostic.h"
#include "core/run.h"
#include "core/trace.h"

namespace convert {

// Returns the run that the traces, ascending by rank, record. Times are start_nanos (plus base_time_nanos of the
// metadata) and duration_nanos, otherwise the microsecond fields; they count from the first begin. Calls are
// matched by group and call number. Arrows and the matrix come from matched messages. path.h defines the critical
// path. `name` is the name of the set in messages. Throws Error(input) if no node has a time, or if the times span
// more than 106 days. Warns of ranks whose times do not overlap.
[[nodiscard]] Run recorded_run(std::span<const Trace> traces, const std::string& name, Diagnostics& diagnostics);

}  // namespace convert
