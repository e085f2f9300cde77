// SPDX-License-Identifier: MIT
// Determines the order of a rank's nodes from its summary: which nodes always start after which others, and the
// order in which a simulator starts them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "passes/trace_summary.h"

namespace convert::rules {

// Returns for each pair of nodes (indices) whether the second depends on the first, directly or indirectly. Walks
// once per 64 pairs through the nodes between their first and last node.
[[nodiscard]] std::vector<bool> depend_on(const TraceSummary& rank,
                                          const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs);

// Sorts nodes of a rank (indices) by order of issue: dependencies first, then the lowest id.
void sort_by_issue(const TraceSummary& s, std::vector<std::uint32_t>& nodes);

}  // namespace convert::rules
