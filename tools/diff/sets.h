// SPDX-License-Identifier: MIT
// Compares two sets of traces rank by rank.
#pragma once

#include "analyze/diff/difference.h"
#include "common/tool.h"
#include "diff/options.h"

namespace tools {

// Returns what differs between the sets that the two operands hold.
[[nodiscard]] convert::Difference compare_sets(const DiffOptions& o, const convert::DiffWishes& wishes,
                                               Context& context);

}  // namespace tools
