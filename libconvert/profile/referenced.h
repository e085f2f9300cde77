// SPDX-License-Identifier: MIT
// Removal of unreferenced rows of a profile's tables.
#pragma once

#include "profile/workload_profile.h"

namespace convert {

// Returns the profile with only the rows that its jobs and its rest refer to, directly or through other rows.
// Groups remain if a script of one of their ranks calls them. Numbers of threads, streams, threadblocks, group
// kinds and ordinals become consecutive, in their order. `profile` must satisfy check_profile().
[[nodiscard]] WorkloadProfile referenced_rows(WorkloadProfile profile);

}  // namespace convert
