// SPDX-License-Identifier: MIT
// What a collective demands of a schedule's chunks: where each begins, where it must end, and that none is missing.
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

// What the chunks lack to be those of a collective of all nodes that are no relays: at most one finding for each
// chunk, and one for chunks that are not there. A node may have more chunks than another, and with `uneven` none
// but of an all_to_all. Custom demands nothing.
[[nodiscard]] std::vector<MissingDemand> missing_demands(const Schedule& schedule, Collective collective,
                                                         bool uneven);

}  // namespace convert
