// SPDX-License-Identifier: MIT
// Learns a workload profile from trace sets.
#pragma once

#include <cstdint>
#include <span>

#include "core/diagnostic.h"
#include "profile/learn/learn.h"
#include "profile/workload_profile.h"
#include "sets/set_source.h"

namespace convert {

struct LearnOptions {
  std::uint32_t k = 2;  // minimum number of occurrences; rarer facts are omitted
  unsigned jobs = 1;
};

struct LearnedProfile {
  WorkloadProfile profile{};
  LearnCounts counts{};
};

// Returns the common profile of all sets. Keeps at most one rank per thread in memory, and the communications of
// all ranks; a stream as a whole. Warns about cycles, see comm_order(). Throws Error(input) for a rank with a
// cycle, a set that is a collective algorithm, and sets in which nothing occurs k times.
[[nodiscard]] LearnedProfile learn_profile(std::span<SetSource* const> sets, const LearnOptions& options,
                                           Diagnostics& diagnostics);

}  // namespace convert
