// SPDX-License-Identifier: MIT
// Nodes of the ranks of a residual network or a vision transformer in training steps.
#pragma once

#include "config/workload/workload.h"
#include "generate/workload/body.h"

namespace convert {

// Return the body of all ranks of a checked workload. A convolution or matrix is one node with its norm and
// activation. In the backward pass the gradients of its input and of its weights are one node each. The gradients
// of all weights are reduced in buckets.
[[nodiscard]] StageBody make_resnet(const Workload& workload, const PlanGroups& groups);
[[nodiscard]] StageBody make_vit(const Workload& workload, const PlanGroups& groups);

[[nodiscard]] std::int64_t resnet_parameters(const ImageShape& shape);
[[nodiscard]] double resnet_multiplications(const ImageShape& shape);  // multiply-adds per image
[[nodiscard]] std::int64_t vit_parameters(const Workload& workload);

}  // namespace convert
