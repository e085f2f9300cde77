// SPDX-License-Identifier: MIT
// Opens what et-diff compares: two runs, or two sets of traces rank by rank.
#pragma once

#include "analyze/diff/difference.h"
#include "common/tool.h"
#include "diff/options.h"
#include "sets/source.h"

namespace tools {

// Returns how to open operand 0 or 1. Throws Error(usage) if both are standard input.
[[nodiscard]] convert::SourceOptions source_of_side(const DiffOptions& o, std::size_t side);
// Throws Error(usage) if one of the operands is a run and the other is none.
void refuse_run_and_set(const DiffOptions& o, const convert::TraceSource& a, const convert::TraceSource& b);

// Returns what differs between the two operands. Throws Error(usage) for a run and a set.
[[nodiscard]] convert::Difference compare(const DiffOptions& o, const convert::DiffWishes& wishes,
                                          Context& context);

}  // namespace tools
