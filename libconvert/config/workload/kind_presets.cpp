// SPDX-License-Identifier: MIT
// The presets of other kinds than transformers.
#include <utility>

#include "config/workload/preset.h"

namespace convert {

// Of the paper on Chakra (Sridharan et al. 2023, section 6.2.3), whose shape is not published: chosen so that 64
// NPUs of 312 TFLOPS on a torus of 31 GB/s wait for messages 128 times as long as they compute.
Preset preset_mlp() {
  std::vector<PresetPlan> plans;
  for (const std::int64_t npus : {64, 16, 4, 1}) plans.push_back({{.micro_batch = 1024}, {.tensor = npus}});
  return {.name = "mlp",
          .plans = std::move(plans),
          .kind = ModelKind::mlp,
          .mlp = {.widths = std::vector<std::int64_t>(7, 2048)}};
}

}  // namespace convert
