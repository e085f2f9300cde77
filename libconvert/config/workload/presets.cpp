// SPDX-License-Identifier: MIT
// Models and plans by name. Shapes come from the models' papers and published configurations (transformer-165m is
// our interpretation). Plans: sc21 is Narayanan et al., SC'21; korthikanti22 is "Reducing Activation
// Recomputation in Large Transformer Models", 2022; herd-16384 and herd-8192 are "The Llama 3 Herd of Models",
// table 4; the default of deepseek-v3 is from its report.
#include <algorithm>
#include <span>
#include <utility>

#include "config/workload/preset.h"
#include "core/words.h"

namespace convert {
namespace {

using enum Shard;
using enum PipelineOrder;
constexpr Buckets megatron = Buckets::megatron;

Preset gpt3_175b() {
  return {"gpt3-175b",
          {.layers = 96,
           .hidden = 12288,
           .heads = 96,
           .ffn = 49152,
           .vocab = 51200,
           .positions = 2048,
           .gated = false,
           .bias = true,
           .norm = NormKind::layer,
           .tied = true},
          {{{.sequence = 2048, .micro_batches = 96, .operations = OperationCount::model},
            {.tensor = 8, .data = 16, .pipeline = 12, .buckets = megatron, .recompute = Recompute::full},
            "sc21"},
           {{.sequence = 2048, .micro_batches = 64},
            {.tensor = 8,
             .pipeline = 8,
             .chunks = 3,
             .sequence_parallel = true,
             .order = interleaved,
             .buckets = megatron,
             .recompute = Recompute::selective},
            "korthikanti22"},
           {{.sequence = 2048, .gradient_bytes = 2},
            {.data = 1024, .shard = zero3, .recompute = Recompute::full},
            "zero3"}}};
}

Preset transformer_165m() {
  return {"transformer-165m",
          {.layers = 12,
           .hidden = 768,
           .heads = 12,
           .ffn = 3072,
           .vocab = 51200,
           .positions = 1024,
           .gated = false,
           .bias = true,
           .norm = NormKind::layer},
          {{{.sequence = 1024}, {.tensor = 4, .data = 16, .shard = zero2, .dimensions = true}, "tp4"},
           {{.sequence = 1024}, {.tensor = 2, .data = 2, .shard = zero2, .dimensions = true}, "tp2"},
           {{.sequence = 1024}, {.shard = zero2, .dimensions = true}, "tp1"}}};
}

Preset llama3_8b() {
  return {"llama3-8b",
          {.layers = 32, .hidden = 4096, .heads = 32, .kv_heads = 8, .ffn = 14336, .vocab = 128256},
          {{{.sequence = 8192, .gradient_bytes = 2}, {.data = 8, .shard = zero3}, "zero3"},
           {{.sequence = 8192},
            {.tensor = 2, .data = 512, .sequence_parallel = true, .shard = zero1, .buckets = megatron},
            "tp2"}}};
}

Preset llama3_70b() {
  return {"llama3-70b",
          {.layers = 80, .hidden = 8192, .heads = 64, .kv_heads = 8, .ffn = 28672, .vocab = 128256},
          {{{.sequence = 8192, .micro_batches = 16},
            {.tensor = 8,
             .data = 16,
             .pipeline = 4,
             .chunks = 5,
             .sequence_parallel = true,
             .order = interleaved,
             .shard = zero1,
             .buckets = megatron}}}};
}

Preset llama3_405b() {
  return {"llama3-405b",
          {.layers = 126, .hidden = 16384, .heads = 128, .kv_heads = 8, .ffn = 53248, .vocab = 128256},
          {{{.sequence = 8192, .micro_batches = 16},
            {.tensor = 8,
             .data = 128,
             .pipeline = 16,
             .layers = {7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7},
             .sequence_parallel = true,
             .shard = zero1,
             .buckets = megatron},
            "herd-16384"},
           {{.sequence = 8192, .micro_batches = 32},
            {.tensor = 8,
             .data = 64,
             .pipeline = 16,
             .layers = {7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7},
             .sequence_parallel = true,
             .shard = zero1,
             .buckets = megatron},
            "herd-8192"}}};
}

Preset mixtral_8x7b() {
  return {"mixtral-8x7b",
          {.layers = 32,
           .hidden = 4096,
           .heads = 32,
           .kv_heads = 8,
           .ffn = 14336,
           .vocab = 32000,
           .experts = 8,
           .experts_per_token = 2,
           .expert_ffn = 14336},
          {{{.sequence = 4096, .micro_batches = 8},
            {.expert = 8, .data = 16, .pipeline = 4, .shard = zero1, .buckets = megatron}}}};
}

Preset mixtral_8x22b() {
  return {"mixtral-8x22b",
          {.layers = 56,
           .hidden = 6144,
           .heads = 48,
           .kv_heads = 8,
           .ffn = 16384,
           .vocab = 32768,
           .experts = 8,
           .experts_per_token = 2,
           .expert_ffn = 16384},
          {{{.sequence = 4096, .micro_batches = 8},
            {.tensor = 4,
             .expert = 8,
             .data = 8,
             .pipeline = 4,
             .sequence_parallel = true,
             .shard = zero1,
             .buckets = megatron}}}};
}

Preset deepseek_v3() {
  return {"deepseek-v3",
          {.layers = 61,
           .hidden = 7168,
           .heads = 128,
           .ffn = 18432,
           .vocab = 129280,
           .experts = 256,
           .experts_per_token = 8,
           .expert_ffn = 2048,
           .shared_experts = 1,
           .dense_layers = 3,
           .router_bias = true,
           .q_rank = 1536,
           .kv_rank = 512,
           .nope_size = 128,
           .rope_size = 64,
           .value_size = 128},
          {{{.sequence = 4096, .micro_batches = 120},
            {.expert = 64,
             .data = 128,
             .pipeline = 16,
             .layers = {3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3},
             .shard = zero1,
             .buckets = megatron}}}};
}

std::span<const Preset> presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> list = {gpt3_175b(),   transformer_165m(), llama3_8b(),     llama3_70b(),
                                llama3_405b(), mixtral_8x7b(),     mixtral_8x22b(), deepseek_v3()};
    for (Preset& p : other_presets()) list.push_back(std::move(p));
    return list;
  }();
  return all;
}

const Preset* find(std::string_view name) {
  const auto at = std::ranges::find_if(presets(), [&](const Preset& p) { return p.name == name; });
  return at == presets().end() ? nullptr : &*at;
}

}  // namespace

std::vector<std::string> workload_presets() {
  std::vector<std::string> names;
  for (const Preset& p : presets()) names.emplace_back(p.name);
  return names;
}

bool is_workload_preset(std::string_view name) { return find(name) != nullptr; }

std::vector<PlanName> preset_plans(std::string_view name) {
  std::vector<PlanName> plans;
  if (const Preset* const preset = find(name))
    for (const PresetPlan& p : preset->plans) plans.push_back({std::string(p.name), p.plan.ranks()});
  return plans;
}

const Preset& find_preset(std::string_view name) {
  const Preset* const preset = find(name);
  if (preset == nullptr)
    throw usage_error("unknown model '" + std::string(name) + "'" + hint_for(name, workload_presets()));
  return *preset;
}

}  // namespace convert
