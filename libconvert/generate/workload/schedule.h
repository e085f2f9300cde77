// SPDX-License-Identifier: MIT
// Order of passes of a pipeline's stages: GPipe (Huang et al. 2019), 1F1B and interleaved (Narayanan et al. 2021),
// ZB-H1 (Qi et al. 2023).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/workload/workload.h"

namespace convert {

enum class PassKind : std::uint8_t { forward, backward, weights };  // weights: gradients of weights, with zb-h1

struct StagePass {
  PassKind kind = PassKind::forward;
  std::int64_t micro_batch = 0;
  std::int64_t chunk = 0;  // chunk of the stage: layers of chunk `chunk`·pipeline + stage of the model
};

// Returns the passes of a stage, in order.
[[nodiscard]] std::vector<StagePass> pipeline_schedule(const ParallelPlan& plan, std::int64_t micro_batches,
                                                       std::int64_t stage);

// Returns the fraction of a step, between 0 and 1, in which a stage waits for other stages, for a network without
// cost and stages of equal time: (p−1) / (v·m + p−1) for p stages of v chunks and m micro-batches (Narayanan et al.
// 2021, section 2.2); with zb-h1 (p−1) / (3·m + p−1), for passes of equal time (Qi et al. 2023, table 2).
[[nodiscard]] double bubble_share(const ParallelPlan& plan, std::int64_t micro_batches);

// Returns the first layer of each chunk of the model, followed by the number of layers.
[[nodiscard]] std::vector<std::int64_t> chunk_layers(const TransformerShape& model, const ParallelPlan& plan);

}  // namespace convert
