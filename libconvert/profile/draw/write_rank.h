// SPDX-License-Identifier: MIT
// Writes a drawn rank as a trace.
#pragma once

#include <cstdint>

#include "core/trace.h"
#include "profile/draw/drawn_rank.h"
#include "profile/workload_profile.h"

namespace convert {

// Returns the trace of the rank, given by its place among those of the job. Nodes are named by their classes, tags
// count the messages of two ranks; sizes that are drawn are the same on all ranks of a call.
[[nodiscard]] Trace write_rank(const WorkloadProfile& profile, const ProfileJob& job, std::uint64_t seed,
                               std::size_t rank, const DrawnRank& drawn);

}  // namespace convert
