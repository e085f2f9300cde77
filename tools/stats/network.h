// SPDX-License-Identifier: MIT
// Tells what the NPUs of a set send each other on a network, collectives included.
#pragma once

#include <optional>

#include "analyze/figures/figures.h"
#include "common/tool.h"
#include "stats/options.h"

namespace tools {

// Returns the section "matrix" of a replay on the network that --network names, with the native algorithms of
// collectives; nothing if there were errors to report.
[[nodiscard]] std::optional<convert::Section> matrix_on_network(const StatsOptions& o, Context& context);

}  // namespace tools
