// SPDX-License-Identifier: MIT
// Nodes of the ranks of a pipeline stage for prompts, and for the tokens after them.
#pragma once

#include "config/workload/workload.h"
#include "generate/workload/body.h"

namespace convert {

// Roles of the replicas of a plan.
enum class ReplicaRole : std::uint8_t { all, prefill, decode };

// Returns the body of a stage of a checked workload that does not train.
[[nodiscard]] StageBody make_inference(const Workload& workload, const PlanGroups& groups, std::int64_t stage,
                                       ReplicaRole role);

}  // namespace convert
