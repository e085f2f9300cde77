// SPDX-License-Identifier: MIT
// Presets: a model and its plans.
#pragma once

#include <string_view>
#include <vector>

#include "config/workload/workload.h"

namespace convert {

// A plan from a publication, for the publication's number of NPUs.
struct PresetPlan {
  StepShape step;
  ParallelPlan plan;
  std::string_view name = "default";  // value of --plan
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

// Returns a model by its name. Throws Error(usage) with the nearest names.
[[nodiscard]] const Preset& find_preset(std::string_view name);

// Models of kinds other than transformers.
[[nodiscard]] std::vector<Preset> other_presets();

}  // namespace convert
