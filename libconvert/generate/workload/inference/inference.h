// SPDX-License-Identifier: MIT
// Makes what the ranks of a pipeline stage do for prompts, and for the tokens after them.
#pragma once

#include "config/workload/workload.h"
#include "generate/workload/body.h"

namespace convert {

// What the replicas of a plan are for.
enum class ReplicaRole : std::uint8_t { all, prefill, decode };

// Returns the body of a stage of a workload that was checked and does not train.
[[nodiscard]] StageBody make_inference(const Workload& workload, const PlanGroups& groups, std::int64_t stage,
                                       ReplicaRole role);

}  // namespace convert
