// SPDX-License-Identifier: MIT
// Checks a collective's demands on a schedule's chunks: where each begins, where it must end, that none is missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/algorithm/schedule.h"

namespace convert {

struct MissingDemand {
  std::string what;        // "no chunk goes from node 3 to node 7"
  std::uint32_t line = 0;  // of the chunk that it is about, or of one beside the missing one; 0: unknown
};

// Returns what the chunks lack to be those of `collective` among all nodes that are no relays: at most one finding
// for each chunk, and one for missing chunks. A node may have more chunks than another; with `uneven` also none,
// but in an all_to_all. Collective::custom demands nothing.
[[nodiscard]] std::vector<MissingDemand> missing_demands(const Schedule& schedule, Collective collective,
                                                         bool uneven);

}  // namespace convert
