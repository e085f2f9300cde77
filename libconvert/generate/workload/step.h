// SPDX-License-Identifier: MIT
// Makes what the ranks of a pipeline stage do in a training step.
#pragma once

#include "config/workload/workload.h"
#include "generate/workload/body.h"

namespace convert {

// Returns the body of a stage of a workload that was checked. Throws Error(usage) if it is too large.
[[nodiscard]] StageBody make_stage(const Workload& workload, const PlanGroups& groups, std::int64_t stage);

}  // namespace convert
