// SPDX-License-Identifier: MIT
// A model and its plans as the list of presets has them.
#pragma once

#include <string_view>
#include <vector>

#include "config/workload/workload.h"

namespace convert {

struct PresetPlan {
  StepShape step;
  ParallelPlan plan;
};
struct Preset {
  std::string_view name;
  TransformerShape model{};
  std::vector<PresetPlan> plans;  // the first is the default
  ModelKind kind = ModelKind::transformer;
  MlpShape mlp{};
  DlrmShape dlrm{};
  ImageShape image{};
};

// Models of other kinds than transformers.
[[nodiscard]] std::vector<Preset> other_presets();

}  // namespace convert
