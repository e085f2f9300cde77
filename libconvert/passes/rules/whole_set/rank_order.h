// SPDX-License-Identifier: MIT
// Tells the order of the nodes of a rank: which always start after which others, and in which a simulator starts
// them. For rules that only have the summary of a rank.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "passes/trace_summary.h"

namespace convert::rules {

// Returns for each pair of nodes (indices) whether the second depends on the first, directly or not. Walks once for
// each 64 pairs through the nodes between the first and the last of theirs.
[[nodiscard]] std::vector<bool> depend_on(const TraceSummary& rank,
                                          const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs);

// Puts nodes of a rank (indices) into the order of issue: dependencies first, then the lowest id.
void sort_by_issue(const TraceSummary& s, std::vector<std::uint32_t>& nodes);

}  // namespace convert::rules
