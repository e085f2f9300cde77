// SPDX-License-Identifier: MIT
// Finds which nodes of a rank always start after which others, for many pairs at once.
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

}  // namespace convert::rules
