// SPDX-License-Identifier: MIT
// Reads the lists of process groups in PyTorch's traces.
#pragma once

#include <vector>

#include "core/process_group.h"
#include "core/profile.h"
#include "core/trace.h"

namespace convert {

// Returns the groups of the host trace's lists ("## process_group:init ##") and of the profile's distributedInfo.
// Ignores lists that cannot be read, since calls and kernels name their groups, too.
[[nodiscard]] std::vector<ProcessGroup> process_groups(const Trace& host, const Profile* device);

// Return distributedInfo's own rank, and the number of ranks; -1 if it does not say.
[[nodiscard]] std::int64_t profiled_rank(const Profile& device);
[[nodiscard]] std::int64_t profiled_world_size(const Profile& device);

}  // namespace convert
