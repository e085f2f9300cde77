// SPDX-License-Identifier: MIT
// Opens inputs as runs: files that hold one, and sets of traces with recorded times.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/run.h"
#include "sets/source.h"

namespace convert {

// Returns the runs of the operands, in their order: those that they hold, and those whose times traces record, with
// the hashes of their files if SourceOptions::hash asks for them. An operand that holds a run, or names a whole
// set, is one; those that are a rank each (x.0.et, a PyTorch trace) are one together with those that follow them. A
// profile of Kineto's that says the same rank as one before it, or no rank as one before it, begins another.
// Throws Error as the readers do, Error(input) if traces record no times, and Error(usage) if standard input is one
// of several.
[[nodiscard]] std::vector<Run> load_runs(const SourceOptions& options, unsigned jobs, Diagnostics& diagnostics);

// Returns each file once, its base name and the SHA-256 of what it holds, uncompressed, which is read for it;
// "stdin" and what else can be read only once without. What is no file, such as the prefix of a set, is left out.
[[nodiscard]] std::vector<Run::Setting> hashes_of(const std::vector<std::string>& files);

}  // namespace convert
