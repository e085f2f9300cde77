// SPDX-License-Identifier: MIT
// Compares et-bench's times with benchmark logs.
#pragma once

#include <vector>

#include "bench/options.h"
#include "common/tool.h"

namespace tools {

// Returns the calls of the logs of --against as series: by log, in the order of the log, then by network and
// algorithm. Throws Error(input) for a log without calls of the chosen collectives.
[[nodiscard]] std::vector<PlannedSeries> planned_comparison(const BenchOptions& o, Context& context);

}  // namespace tools
