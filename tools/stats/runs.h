// SPDX-License-Identifier: MIT
// Measures a run that et-stats reads.
#pragma once

#include <optional>

#include "analyze/figures/figures.h"
#include "core/run.h"
#include "stats/options.h"

namespace tools {

// Returns the sections of a run. `operations`: of all NPUs, from the traces; unset: unknown.
[[nodiscard]] convert::Statistics measure_run(const convert::Run& run, const StatsOptions& o,
                                              const std::optional<convert::Sum>& operations);

}  // namespace tools
