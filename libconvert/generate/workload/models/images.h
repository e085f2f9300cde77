// SPDX-License-Identifier: MIT
// Makes what the ranks of a residual network or a vision transformer do in training steps.
#pragma once

#include "config/workload/workload.h"
#include "generate/workload/body.h"

namespace convert {

// Return the body of all ranks of a workload that was checked. A convolution or matrix is a node with its norm and
// activation; backward its input's gradient is one, that of its weights another. The gradients of all are reduced
// in buckets.
[[nodiscard]] StageBody make_resnet(const Workload& workload, const PlanGroups& groups);
[[nodiscard]] StageBody make_vit(const Workload& workload, const PlanGroups& groups);

[[nodiscard]] std::int64_t resnet_parameters(const ImageShape& shape);
[[nodiscard]] double resnet_multiplications(const ImageShape& shape);  // multiply-adds of an image
[[nodiscard]] std::int64_t vit_parameters(const Workload& workload);

}  // namespace convert
