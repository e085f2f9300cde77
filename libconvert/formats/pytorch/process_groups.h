// SPDX-License-Identifier: MIT
// Lists of process groups in PyTorch's traces.
#pragma once

#include <vector>

#include "core/process_group.h"
#include "core/profile.h"
#include "core/trace.h"

namespace convert {

// Returns the groups listed in the host trace ("## process_group:init ##") and in the profile's distributedInfo.
// Ignores unreadable lists, because calls and kernels name their groups too.
[[nodiscard]] std::vector<ProcessGroup> process_groups(const Trace& host, const Profile* device);

// Return the rank and the number of ranks in distributedInfo; -1 if absent.
[[nodiscard]] std::int64_t profiled_rank(const Profile& device);
[[nodiscard]] std::int64_t profiled_world_size(const Profile& device);

}  // namespace convert
