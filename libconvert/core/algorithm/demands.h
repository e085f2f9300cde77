// SPDX-License-Identifier: MIT
// Checks a schedule's chunks against its collective: where each must begin and end, and that none is missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/algorithm/schedule.h"

namespace convert {

struct DemandFinding {
  std::string what;        // "no chunk goes from node 3 to node 7"
  std::uint32_t line = 0;  // of the chunk that is wrong, or of the one before the missing one; 0: unknown
};

// Returns what is wrong with the chunks for `collective` among all nodes that are no relays: at most one finding
// for each chunk; if all are right, one for missing chunks. A node may have several chunks; with `uneven` also
// none, except in an all_to_all. Collective::custom has no findings.
[[nodiscard]] std::vector<DemandFinding> missing_demands(const Schedule& schedule, Collective collective,
                                                         bool uneven);

}  // namespace convert
