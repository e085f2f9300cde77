// SPDX-License-Identifier: MIT
// Makes what the ranks of a multi-layer perceptron do in a training step.
#pragma once

#include "config/workload/workload.h"
#include "generate/workload/body.h"

namespace convert {

// Returns the body of all ranks of a workload that was checked. Tensor parallelism divides the columns of each
// matrix: what a layer gives is gathered, the gradients of what it got are added up. Data parallelism adds up the
// gradients of each layer's weights.
[[nodiscard]] StageBody make_mlp(const Workload& workload, const PlanGroups& groups);

[[nodiscard]] std::int64_t parameters_of(const MlpShape& shape);

}  // namespace convert
