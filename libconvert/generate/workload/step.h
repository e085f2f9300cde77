// SPDX-License-Identifier: MIT
// Nodes of the ranks of a pipeline stage in a training step.
#pragma once

#include "config/workload/workload.h"
#include "generate/workload/body.h"

namespace convert {

// Returns the body of a stage of a checked workload. Throws Error(usage) if it is too large.
[[nodiscard]] StageBody make_stage(const Workload& workload, const PlanGroups& groups, std::int64_t stage);

}  // namespace convert
