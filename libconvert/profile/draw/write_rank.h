// SPDX-License-Identifier: MIT
// Conversion of a sampled rank to a trace.
#pragma once

#include <cstdint>

#include "core/trace.h"
#include "profile/draw/drawn_rank.h"
#include "profile/workload_profile.h"

namespace convert {

// Returns the trace of a rank, given by its index among the ranks of the job. Nodes are named by their classes;
// tags count the messages of a pair of ranks. Sampled sizes are equal on all ranks of a call.
[[nodiscard]] Trace write_rank(const WorkloadProfile& profile, const ProfileJob& job, std::uint64_t seed,
                               std::size_t rank, const DrawnRank& drawn);

}  // namespace convert
