// SPDX-License-Identifier: MIT
// Writer and reader of run files, ".run": columns in compressed blocks (et-formats(5)).
#pragma once

#include "core/run.h"
#include "io/input.h"
#include "io/output.h"

namespace convert {

// Writes the run block by block, with a few MiB of additional memory. Does not close the output.
void write_run(const Run& run, Output& out);

// Reads a run. Throws Error(input) with the offset if the file is truncated, damaged or of a newer version, if a
// number is out of range, or if the run exceeds the memory limit (see document_limit.h).
[[nodiscard]] Run read_run(Input& input);

}  // namespace convert
