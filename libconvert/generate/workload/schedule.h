// SPDX-License-Identifier: MIT
// Orders the passes of a pipeline's stages: GPipe (Huang et al. 2019), 1F1B and interleaved (Narayanan et al.
// 2021), ZB-H1 (Qi et al. 2023).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/workload/workload.h"

namespace convert {

enum class PassKind : std::uint8_t { forward, backward, weights };  // the last: gradients of weights, with zb-h1

struct StagePass {
  PassKind kind = PassKind::forward;
  std::int64_t micro_batch = 0;
  std::int64_t chunk = 0;  // of the stage: layers of chunk `chunk`·pipeline + stage of the model
};

// Returns what a stage does, in order.
[[nodiscard]] std::vector<StagePass> pipeline_schedule(const ParallelPlan& plan, std::int64_t micro_batches,
                                                       std::int64_t stage);

// Returns the layers of each chunk of the model, from the first one of each on, and behind them the number of
// layers.
[[nodiscard]] std::vector<std::int64_t> chunk_layers(const TransformerShape& model, const ParallelPlan& plan);

}  // namespace convert
