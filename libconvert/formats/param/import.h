// SPDX-License-Identifier: MIT
// Conversion of a rank's PARAM entries to a trace, with the execution order of PARAM's replay.
#pragma once

#include <optional>
#include <vector>

#include "core/diagnostic.h"
#include "core/process_group.h"
#include "core/trace.h"
#include "formats/param/entries.h"

namespace convert {

struct ParamRank {
  Trace trace;
  std::vector<ProcessGroup> groups;  // groups that contain the rank
};

// Creates the nodes in the order of the entries. Each node waits for all previous nodes, except operations with a
// later wait entry: only the nodes after that wait entry wait for them. Omits entries that the replay skips on this
// rank, with a warning. `ranks`: number of ranks of the whole set, if known. Throws Error(input) with the line of
// an entry at which the replay would fail.
[[nodiscard]] ParamRank import_param(const ParamFile& file, Rank rank, std::optional<Rank> ranks,
                                     Diagnostics& diagnostics);

}  // namespace convert
