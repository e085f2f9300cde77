// SPDX-License-Identifier: MIT
// Sorts nodes by the order in which a simulator starts them, for rules that only have the summary of a rank.
#pragma once

#include <cstdint>
#include <vector>

#include "passes/trace_summary.h"

namespace convert::rules {

// Puts nodes of a rank (indices) into the order of issue: dependencies first, then the lowest id.
void sort_by_issue(const TraceSummary& s, std::vector<std::uint32_t>& nodes);

}  // namespace convert::rules
