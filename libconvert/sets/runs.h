// SPDX-License-Identifier: MIT
// Opens inputs as runs: files that hold one, and sets of traces with recorded times.
#pragma once

#include <vector>

#include "core/diagnostic.h"
#include "core/run.h"
#include "sets/source.h"

namespace convert {

// Returns the run that a source, opened with SourceOptions::runs, holds or whose times it records. Throws
// Error(input) if it records none.
[[nodiscard]] Run load_run(TraceSource& source, unsigned jobs, Diagnostics& diagnostics);
// Returns the runs of the operands, in their order. An operand that holds a run, or names a whole set, is one;
// those that are a rank each (x.0.et, a PyTorch trace) are one together with those that follow them. Throws Error
// as the readers do, and Error(usage) if standard input is one of several.
[[nodiscard]] std::vector<Run> load_runs(const SourceOptions& options, unsigned jobs, Diagnostics& diagnostics);

}  // namespace convert
