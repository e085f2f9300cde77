// SPDX-License-Identifier: MIT
// Dispatches on the kind of model of a workload.
#pragma once

#include <cstdint>
#include <vector>

#include "config/workload/workload.h"
#include "generate/workload/body.h"

namespace convert {

// Return the parameters of the whole model, and the parameters used per token or sample.
[[nodiscard]] std::int64_t parameters_of(const Workload& workload);
[[nodiscard]] std::int64_t active_parameters_of(const Workload& workload);

// Returns the bodies of a checked workload, one for each pipeline stage. Throws Error(usage) if one is too large.
[[nodiscard]] std::vector<StageBody> make_bodies(const Workload& workload, const PlanGroups& groups);

}  // namespace convert
