// SPDX-License-Identifier: MIT
// Makes a trace of a rank's entries, as PARAM's replay runs them.
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
  std::vector<ProcessGroup> groups;  // that the rank is in
};

// Makes the nodes in the order of the entries: each waits for the ones before it, but for those that a later wait
// names, which only what follows the wait waits for. Leaves out what the replay skips on this rank, with a warning.
// `ranks`: of the whole set, if that is known. Throws Error(input) with the line of an entry that the replay would
// fail at.
[[nodiscard]] ParamRank import_param(const ParamFile& file, Rank rank, std::optional<Rank> ranks,
                                     Diagnostics& diagnostics);

}  // namespace convert
