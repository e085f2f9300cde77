// SPDX-License-Identifier: MIT
// Opens what et-diff compares: two runs, or two sets of traces rank by rank.
#pragma once

#include "analyze/diff/difference.h"
#include "common/tool.h"
#include "diff/options.h"

namespace tools {

// Returns what differs between the two operands. Throws Error(usage) for a run and a set.
[[nodiscard]] convert::Difference compare(const DiffOptions& o, const convert::DiffWishes& wishes,
                                          Context& context);

}  // namespace tools
