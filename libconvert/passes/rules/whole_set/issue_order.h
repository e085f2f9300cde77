// SPDX-License-Identifier: MIT
// The order in which a simulator starts what is ready, for rules that only have the summary of a rank.
#pragma once

#include <cstdint>
#include <vector>

#include "passes/trace_summary.h"

namespace convert::rules {

// Puts nodes of a rank (indices) into the order of issue: dependencies first, then the lowest id.
void sort_by_issue(const TraceSummary& s, std::vector<std::uint32_t>& nodes);

}  // namespace convert::rules
