// SPDX-License-Identifier: MIT
// Rows of a profile's tables that its jobs refer to.
#pragma once

#include "profile/workload_profile.h"

namespace convert {

// Returns the profile with the rows that its jobs and its rest refer to, directly or through other rows; all other
// rows are removed. Groups remain if a script of one of their ranks calls them. Numbers of threads, streams,
// threadblocks, group kinds and ordinals become consecutive, in their order. `profile` must satisfy
// check_profile().
[[nodiscard]] WorkloadProfile referenced_rows(WorkloadProfile profile);

}  // namespace convert
