// SPDX-License-Identifier: MIT
// Random choice of one of several profiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "profile/workload_profile.h"

namespace convert {

// Returns the index of one of the profiles (at least one is required), with a probability proportional to its
// number of jobs. The choice depends only on the seed, and is independent of what Synthesis samples with the same
// seed.
[[nodiscard]] std::size_t draw_profile(std::span<const WorkloadProfile> profiles, std::uint64_t seed);

}  // namespace convert
