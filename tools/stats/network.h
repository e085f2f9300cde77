// SPDX-License-Identifier: MIT
// Measures the traffic between the NPUs of a set on a network, collectives included.
#pragma once

#include <optional>

#include "analyze/figures/figures.h"
#include "common/tool.h"
#include "stats/options.h"

namespace tools {

// Returns the section "matrix" of a replay on the network of --network, with the native algorithms of collectives;
// nothing if errors were reported.
[[nodiscard]] std::optional<convert::Section> matrix_on_network(const StatsOptions& o, Context& context);

}  // namespace tools
