// SPDX-License-Identifier: MIT
// Counts the traces that et-stats reads.
#pragma once

#include "analyze/figures/figures.h"
#include "common/tool.h"
#include "stats/options.h"

namespace tools {

// Returns the sections of the set that the operands hold; empty if it has errors. With `run_ps`, how long a run of
// it took, for the use of the peak.
[[nodiscard]] convert::Statistics count_set(const StatsOptions& o, Context& context);

}  // namespace tools
