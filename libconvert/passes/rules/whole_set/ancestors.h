// SPDX-License-Identifier: MIT
// Which nodes of a rank always start after which others: many questions at once.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "passes/trace_summary.h"

namespace convert::rules {

// For each pair of nodes (indices): whether the second depends on the first, through others too. Each 64 questions
// walk through the nodes between the first and the last of theirs once.
[[nodiscard]] std::vector<bool> depend_on(const TraceSummary& rank,
                                          const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs);

}  // namespace convert::rules
