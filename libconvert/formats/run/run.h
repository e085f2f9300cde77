// SPDX-License-Identifier: MIT
// Writes and reads runs as files, ".run": columns in compressed blocks (et-formats(5)).
#pragma once

#include "core/run.h"
#include "io/input.h"
#include "io/output.h"

namespace convert {

// Writes the run block by block, with some MiB of memory besides it. Does not close the output.
void write_run(const Run& run, Output& out);

// Reads a run. Throws Error(input) with the offset if the file is cut, damaged or of a newer version, if a number
// is out of its range, or if the run does not fit into memory (see document_limit.h).
[[nodiscard]] Run read_run(Input& input);

}  // namespace convert
