// SPDX-License-Identifier: MIT
// Opens inputs as runs: run files, and trace sets with recorded times.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/run.h"
#include "sets/source.h"

namespace convert {

// Returns the runs of the operands, in their order: runs in files, and runs whose times traces record, with the
// hashes of their files if SourceOptions::hash is set. An operand that contains a run, or names a whole set, is one
// run. Consecutive operands of one rank each (x.0.et, a PyTorch trace) form one run together. A Kineto trace that
// states the same rank as a previous one, or no rank like a previous one, begins another run. Throws Error as the
// readers do, Error(input) if traces record no times, and Error(usage) if standard input is one of several
// operands.
[[nodiscard]] std::vector<Run> load_runs(const SourceOptions& options, unsigned jobs, Diagnostics& diagnostics);

// Returns the base name of each file once, with the SHA-256 of its uncompressed contents. "stdin" and other inputs
// that can be read only once have no hash. Names that are not files, such as the prefix of a set, are omitted.
[[nodiscard]] std::vector<Run::Setting> hashes_of(const std::vector<std::string>& files);

}  // namespace convert
