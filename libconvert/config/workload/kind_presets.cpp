// SPDX-License-Identifier: MIT
// Presets of model kinds other than transformers.
#include <string_view>
#include <utility>
#include <vector>

#include "config/workload/preset.h"

namespace convert {
namespace {

// Substitute for the model of the Chakra paper (Sridharan et al. 2023, section 6.2.3), whose shape is not
// published: 64 NPUs of 312 TFLOPS on a torus of 31 GB/s wait for messages 128 times as long as they compute.
Preset preset_mlp() {
  return {.name = "mlp",
          .plans = {{{.micro_batch = 1024}, {.tensor = 64}}},
          .kind = ModelKind::mlp,
          .mlp = {.widths = std::vector<std::int64_t>(7, 2048)}};
}

// The run of facebookresearch/dlrm for MLPerf (bench/run_and_time.sh): tables of the Criteo data, at most 40
// million rows each.
Preset preset_dlrm_mlperf() {
  return {.name = "dlrm-mlperf",
          .plans = {{{.micro_batch = 2048}, {.data = 8}}},
          .kind = ModelKind::dlrm,
          .dlrm = {.tables = {39884406, 39043,    17289,    7420,     20263,  3,     7120, 1543, 63,
                              38532951, 2953546,  403346,   10,       2208,   11938, 155,  4,    976,
                              14,       39979771, 25641295, 39664984, 585935, 12972, 108,  36},
                   .bottom = {13, 512, 256, 128},
                   .top = {1024, 1024, 512, 256, 1}}};
}

// He et al. 2016, as in torchvision.
Preset preset_resnet50() {
  return {.name = "resnet50",
          .plans = {{{.micro_batch = 32}, {.data = 8}}},
          .kind = ModelKind::resnet,
          .image = {.blocks = {3, 4, 6, 3}}};
}

// Dosovitskiy et al. 2021, table 1; as in torchvision.
Preset preset_vit(std::string_view name, const TransformerShape& layers, std::int64_t patch) {
  return {.name = name,
          .model = layers,
          .plans = {{{.micro_batch = 64}, {.data = 8}}},
          .kind = ModelKind::vit,
          .image = {.patch = patch}};
}

}  // namespace

std::vector<Preset> other_presets() {
  return {preset_mlp(),
          preset_dlrm_mlperf(),
          preset_resnet50(),
          preset_vit("vit-b-16", {.layers = 12, .hidden = 768, .heads = 12, .ffn = 3072}, 16),
          preset_vit("vit-l-16", {.layers = 24, .hidden = 1024, .heads = 16, .ffn = 4096}, 16),
          preset_vit("vit-h-14", {.layers = 32, .hidden = 1280, .heads = 16, .ffn = 5120}, 14)};
}

}  // namespace convert
