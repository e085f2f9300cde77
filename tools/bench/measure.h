// SPDX-License-Identifier: MIT
// Times the calls of et-bench.
#pragma once

#include <vector>

#include "bench/options.h"
#include "common/tool.h"
#include "scenario/bench/call_series.h"

namespace tools {

// Returns the series with the times of their calls. Throws Error for a call that has no time.
[[nodiscard]] std::vector<convert::CallSeries> measure(const std::vector<PlannedSeries>& plan, Context& context);

// Writes the series to standard output in the form of --format, and draws --plot.
void write_bench(const std::vector<convert::CallSeries>& all, const BenchOptions& o);

}  // namespace tools
