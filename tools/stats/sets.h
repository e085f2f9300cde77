// SPDX-License-Identifier: MIT
// Counts the traces that et-stats reads.
#pragma once

#include <optional>

#include "analyze/figures/figures.h"
#include "common/tool.h"
#include "sets/source.h"
#include "stats/options.h"

namespace tools {

struct CountedSet {
  convert::Statistics sections;
  std::optional<convert::Sum> operations{};  // of all nodes; unset: not counted
};

// Returns the sections of a trace set; empty if the set has errors.
[[nodiscard]] CountedSet count_set(convert::TraceSource& source, const StatsOptions& o, Context& context);

}  // namespace tools
