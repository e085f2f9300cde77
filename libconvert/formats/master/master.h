// SPDX-License-Identifier: MIT
// Writes and reads sets as master traces, ".etm": a body for each class of ranks (core/master/master_set.h).
#pragma once

#include <memory>
#include <string>

#include "core/master/master_set.h"
#include "formats/format.h"
#include "io/input.h"
#include "io/output.h"

namespace convert {

// Does not close the output.
void write_master(const MasterSet& set, Output& out);

// Reads a set. Throws Error(input) with the offset if the file is cut, damaged or of a newer version, or if it does
// not fit into memory (see document_limit.h). Values that no trace has are found when a rank is made.
[[nodiscard]] MasterSet read_master(Input& input);

// Returns a reader of ranks of the set, from place `first` in its order up to `last`; the set must outlive it.
// Messages call it `file`.
[[nodiscard]] std::unique_ptr<TraceReader> open_master(const MasterSet& set, const std::string& file, Rank first,
                                                       Rank last);

}  // namespace convert
