// SPDX-License-Identifier: MIT
// Checks the chunks of a schedule against its collective: where each begins and ends, and whether any is missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/algorithm/schedule.h"

namespace convert {

struct DemandFinding {
  std::string what;        // "no chunk goes from node 3 to node 7"
  std::uint32_t line = 0;  // of the wrong chunk, or of the chunk before the missing one; 0: unknown
};

// Returns the errors in the chunks for `collective` among all nodes that are not relays: at most one for each
// chunk, and, if all chunks are right, at most one for missing chunks. A node may have several chunks; with
// `uneven` it may have none, except in an all_to_all. Collective::custom has no findings.
[[nodiscard]] std::vector<DemandFinding> missing_demands(const Schedule& schedule, Collective collective,
                                                         bool uneven);

}  // namespace convert
