// SPDX-License-Identifier: MIT
// The lists of process groups in PyTorch's traces.
#pragma once

#include <vector>

#include "core/process_group.h"
#include "core/profile.h"
#include "core/trace.h"

namespace convert {

// Of the host trace's announcements ("## process_group:init ##") and of the profile's distributedInfo. Lists that
// cannot be read tell nothing: calls and kernels name their groups themselves.
[[nodiscard]] std::vector<ProcessGroup> process_groups(const Trace& host, const Profile* device);

// distributedInfo's own rank, and the number of ranks; -1 if it does not say one.
[[nodiscard]] std::int64_t profiled_rank(const Profile& device);
[[nodiscard]] std::int64_t profiled_world_size(const Profile& device);

}  // namespace convert
