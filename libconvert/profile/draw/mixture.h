// SPDX-License-Identifier: MIT
// Draws one of several profiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "profile/workload_profile.h"

namespace convert {

// Returns the number of one of the profiles, at least one, by chance: each as often as it has jobs. The seed alone
// decides; what Synthesis draws of the profile with the same seed does not depend on that.
[[nodiscard]] std::size_t draw_profile(std::span<const WorkloadProfile> profiles, std::uint64_t seed);

}  // namespace convert
