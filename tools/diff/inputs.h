// SPDX-License-Identifier: MIT
// Opens the inputs of et-diff: two runs, or two trace sets rank by rank.
#pragma once

#include "analyze/diff/difference.h"
#include "common/tool.h"
#include "diff/options.h"
#include "sets/source.h"

namespace tools {

// Returns the source options of operand 0 or 1. Throws Error(usage) if both are standard input.
[[nodiscard]] convert::SourceOptions source_of_side(const DiffOptions& o, std::size_t side);
// Throws Error(usage) if one operand is a run and the other is a set.
void refuse_run_and_set(const DiffOptions& o, const convert::TraceSource& a, const convert::TraceSource& b);

// Returns the differences of the two operands. Throws Error(usage) for a run and a set.
[[nodiscard]] convert::Difference compare(const DiffOptions& o, const convert::DiffWishes& wishes,
                                          Context& context);

}  // namespace tools
