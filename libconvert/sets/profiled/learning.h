// SPDX-License-Identifier: MIT
// Learns a profile of sets of traces.
#pragma once

#include <cstdint>
#include <span>

#include "core/diagnostic.h"
#include "profile/learn/learn.h"
#include "profile/workload_profile.h"
#include "sets/set_source.h"

namespace convert {

struct LearnOptions {
  std::uint32_t k = 2;  // what occurs fewer times is not told
  unsigned jobs = 1;
};

struct LearnedProfile {
  WorkloadProfile profile{};
  LearnCounts counts{};
};

// Returns the profile of all sets together. Keeps at most a rank for each thread in memory, beside the
// communications of all; a stream as a whole. Warns of circles, see comm_order(). Throws Error(input) on a rank
// with a cycle, on a set that is a collective algorithm, and where nothing occurs k times.
[[nodiscard]] LearnedProfile learn_profile(std::span<SetSource* const> sets, const LearnOptions& options,
                                           Diagnostics& diagnostics);

}  // namespace convert
