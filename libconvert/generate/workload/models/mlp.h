// SPDX-License-Identifier: MIT
// Nodes of the ranks of a multi-layer perceptron in a training step.
#pragma once

#include "config/workload/workload.h"
#include "generate/workload/body.h"

namespace convert {

// Returns the body of all ranks of a checked workload. Tensor parallelism divides the columns of each matrix:
// outputs are gathered, gradients of inputs are summed. Data parallelism sums the gradients of each layer's
// weights.
[[nodiscard]] StageBody make_mlp(const Workload& workload, const PlanGroups& groups);

[[nodiscard]] std::int64_t parameters_of(const MlpShape& shape);

}  // namespace convert
