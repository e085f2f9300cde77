// SPDX-License-Identifier: MIT
// A model and its plans as the list of presets has them.
#pragma once

#include <string_view>
#include <vector>

#include "config/workload/workload.h"

namespace convert {

// A plan that a publication states, for the NPUs of that publication.
struct PresetPlan {
  StepShape step;
  ParallelPlan plan;
  std::string_view name = "default";  // of --plan
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

// Returns a model by its name. Throws Error(usage) that names near ones.
[[nodiscard]] const Preset& find_preset(std::string_view name);

// Models of other kinds than transformers.
[[nodiscard]] std::vector<Preset> other_presets();

}  // namespace convert
