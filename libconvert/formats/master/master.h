// SPDX-License-Identifier: MIT
// Writer and reader of class-compressed sets, ".etm": one body per rank class (core/master/master_set.h).
#pragma once

#include <memory>
#include <string>

#include "core/master/master_set.h"
#include "formats/format.h"
#include "io/input.h"
#include "io/output.h"

namespace convert {

// Writes a set. Does not close the output.
void write_master(const MasterSet& set, Output& out);

// Reads a set. Throws Error(input) with the offset if the file is truncated, damaged or of a newer version, or if
// it exceeds the memory limit (see document_limit.h). Invalid values of traces are detected only when a rank is
// created.
[[nodiscard]] MasterSet read_master(Input& input);

// Returns a reader of the ranks at positions `first` … `last` - 1 of the set, which must outlive it. Messages use
// `file` as the file name.
[[nodiscard]] std::unique_ptr<TraceReader> open_master(const MasterSet& set, const std::string& file, Rank first,
                                                       Rank last);

}  // namespace convert
