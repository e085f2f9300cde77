// SPDX-License-Identifier: MIT
// Collective calls of a recorded run as a benchmark.
#pragma once

#include <cstdint>

#include "calibrate/benchmark.h"
#include "core/diagnostic.h"
#include "core/run.h"

namespace convert {

// Returns the collective calls of a run whose times were recorded. A call takes as long as on the rank where it is
// shortest, the last to arrive: the others wait in it. Calls of one collective, size and group shape are one point,
// with their median. Warns of calls whose last rank may be missing, as not all ranks are recorded. Throws
// Error(input) for a run that was simulated, and for one without collectives of known size.
[[nodiscard]] Benchmark benchmark_of_run(const Run& run, std::uint32_t gpus_of_node, Diagnostics& diagnostics);

}  // namespace convert
