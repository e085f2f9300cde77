// SPDX-License-Identifier: MIT
// Compares the statistics of et-diff's operands: two trace sets, or two runs.
#pragma once

#include "analyze/fidelity/fidelity.h"
#include "common/tool.h"
#include "diff/options.h"

namespace tools {

// Returns how faithful the second operand is to the first. Throws Error(usage) for a run and a set.
[[nodiscard]] convert::Fidelity compare_statistics(const DiffOptions& o, Context& context);

}  // namespace tools
