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
  std::optional<convert::Sum> operations{};  // of all nodes; nothing: they have not been counted
};

// Returns the sections of a set of traces; none if it has errors.
[[nodiscard]] CountedSet count_set(convert::TraceSource& source, const StatsOptions& o, Context& context);

}  // namespace tools
