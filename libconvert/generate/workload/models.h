// SPDX-License-Identifier: MIT
// Leads from a workload to what is made of its kind of model.
#pragma once

#include <cstdint>
#include <vector>

#include "config/workload/workload.h"
#include "generate/workload/body.h"

namespace convert {

// Returns the parameters of the whole model, and those that a token or sample meets.
[[nodiscard]] std::int64_t parameters_of(const Workload& workload);
[[nodiscard]] std::int64_t active_parameters_of(const Workload& workload);

// Returns the bodies of a workload that was checked, one for each pipeline stage. Throws Error(usage) if one is too
// large.
[[nodiscard]] std::vector<StageBody> make_bodies(const Workload& workload, const PlanGroups& groups);

}  // namespace convert
