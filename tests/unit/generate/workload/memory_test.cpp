// SPDX-License-Identifier: MIT
#include "generate/workload/memory.h"

#include <gtest/gtest.h>

#include <set>

#include "small_workload.h"

namespace convert {
namespace {

// Korthikanti et al. 2022, table 2, for a layer of GPT-3: S 2048, B 1, H 12288, A 96, t 8.
TEST(MemoryOfWorkloads, ActivationsOfALayerAreThoseOfThePaper) {
  const auto bytes = [](const Settings& plan) {
    Workload w = preset_workload("gpt3-175b", 0);
    w.plan = {.tensor = 8};
    w.step = {.sequence = 2048, .operations = OperationCount::model};
    for (const WorkloadSetting& s : plan) set_workload(w, s);
    return static_cast<std::int64_t>(activation_bytes_of_layer(w, 0, 0));
  };
  const std::int64_t each = 2048 * 12288, scores = std::int64_t{5} * 96 * 2048 * 2048 / 8;
  EXPECT_EQ(34 * each / 8 + scores, 358'612'992);
  EXPECT_EQ(bytes({}), 10 * each + 3 * each + scores);
  EXPECT_EQ(bytes({{"plan.sequence_parallel", "true"}}), 34 * each / 8 + scores);
  EXPECT_EQ(bytes({{"plan.sequence_parallel", "true"}, {"plan.recompute", "selective"}}), 34 * each / 8);
  EXPECT_EQ(bytes({{"plan.recompute", "full"}}), 2 * each);
  EXPECT_EQ(bytes({{"plan.recompute", "full"}, {"plan.sequence_parallel", "true"}}), 2 * each / 8);
  EXPECT_EQ(bytes({{"run.flops", "hardware"}}), 13 * each) << "a fused kernel keeps no scores";
  EXPECT_EQ(bytes({{"plan.context", "2"}, {"run.flops", "hardware"}}), 13 * each / 2);
}

TEST(MemoryOfWorkloads, ActivationsOfOtherShapes) {
  const auto bytes = [](const Workload& w, std::int64_t layer = 0) {
    return static_cast<std::int64_t>(activation_bytes_of_layer(w, layer, equal_expert_rows(w)));
  };
  // Inputs of norms, qkv and up; 8 heads and 4 of keys and values, of 32; gate, up and their product.
  EXPECT_EQ(bytes(small()), 2 * 16 * (4 * 256 + (2 * 8 + 2 * 4) * 32 + 3 * 512));
  EXPECT_EQ(bytes(small({{"run.activations", "fp32"}})), 2 * bytes(small()));
  EXPECT_EQ(bytes(small({{"model.ffn", "1024"}})) - bytes(small()), 2 * 16 * 3 * 512);
  EXPECT_EQ(bytes(small({{"plan.tensor", "4"}})), 2 * 16 * (4 * 256 + (24 * 32 + 3 * 512) / 4));
  EXPECT_EQ(bytes(small({{"run.flops", "model"}})) - bytes(small()), 2 * 8 * 16 * 16) << "no dropout, no masks";
  const Workload experts =
      small({{"model.moe.experts", "4"}, {"model.moe.per_token", "2"}, {"model.moe.ffn", "128"}});
  EXPECT_EQ(bytes(experts), 2 * (16 * (4 * 256 + 4 + 2 * 256 + 24 * 32) + 32 * (256 + 3 * 128)));
  const Workload latent = preset_workload("deepseek-v3", 0);
  const std::int64_t attention = 4 * 7168 + 2 * 1536 + 2 * 512 + 64 + 2 * 128 * (128 + 64 + 128);
  EXPECT_EQ(bytes(latent, 2), 2 * 4096 * (attention + 3 * 18432));
  EXPECT_EQ(bytes(latent, 3), 2 * 4096 * (attention + 256 + 8 * 7168 + 3 * 2048 + 8 * (7168 + 3 * 2048)));
}

// Returns the bytes of tensors that are written by computations before the backward pass and read by others in it.
std::int64_t bytes_kept(const StageBody& body) {
  BodyIndex backward = 0;
  const auto name_of = [&](BodyIndex i) { return body.names[body.nodes[static_cast<std::size_t>(i)].name]; };
  while (name_of(backward) != "loss_bwd") ++backward;
  std::set<BodyIndex> kept;
  const auto read = [&](BodyIndex node, BodyIndex tensor) {
    if (node > backward && tensor >= 0 && tensor < backward) kept.insert(tensor);
  };
  for (std::size_t i = 0; i < body.nodes.size(); ++i) {
    const BodyNode& n = body.nodes[i];
    for (std::uint32_t d = 0; n.reads_deps && d < n.deps; ++d)
      read(static_cast<BodyIndex>(i), body.nodes[static_cast<std::size_t>(body.deps[n.first_dep + d])].tensor);
  }
  for (const auto& [node, tensor] : body.reads) read(node, tensor);
  std::int64_t bytes = 0;
  for (const BodyIndex tensor : kept) bytes += body.nodes[static_cast<std::size_t>(tensor)].result;
  return bytes;
}

// The tensors of nodes take the bytes of the formula, plus the input and output of the final norm.
TEST(MemoryOfWorkloads, TensorsOfNodesAreThoseOfTheFormula) {
  const Settings experts = {{"model.moe.experts", "4"},
                            {"model.moe.per_token", "2"},
                            {"model.moe.ffn", "128"},
                            {"model.moe.shared", "1"},
                            {"model.moe.dense_layers", "2"}};
  const Settings latent = {{"model.mla.q_rank", "16"},
                           {"model.mla.kv_rank", "8"},
                           {"model.mla.nope_size", "8"},
                           {"model.mla.rope_size", "4"},
                           {"model.mla.value_size", "6"}};
  const Settings parts = {{"plan.tensor", "2"}, {"plan.sequence_parallel", "true"}};
  for (const Settings& settings : std::vector<Settings>{
           {},
           {{"run.activations", "fp32"}, {"model.gated", "false"}},
           {{"run.flops", "model"}, {"model.norm", "layer"}},
           {{"plan.tensor", "2"}},
           parts,
           with(parts, {{"run.flops", "model"}, {"model.norm", "layer"}, {"plan.recompute", "selective"}}),
           {{"plan.recompute", "full"}},
           with(parts, {{"plan.recompute", "full"}}),
           experts,
           with(experts, {{"plan.data", "2"}, {"plan.expert", "2"}}),
           with(with(experts, parts), {{"plan.expert", "2"}}),
           latent,
           with(latent, {{"plan.tensor", "2"}})}) {
    const WorkloadSet set(small(with(settings, {{"run.tensors", "true"}})));
    const Workload& w = set.workload();
    const std::int64_t own = 16 / (w.plan.sequence_parallel ? 2 : 1);
    EXPECT_EQ(bytes_kept(set.body(0)) - 2 * w.step.activation_bytes * own * 256,
              static_cast<std::int64_t>(memory_of(set, 0).activations))
        << (settings.empty() ? "" : settings[0].key + settings.back().key);
  }
}

// Tokens that some ranks' experts get in addition are missing at others.
TEST(MemoryOfWorkloads, FollowsUnequalLoadsOfExperts) {
  const Settings plan = {{"model.moe.experts", "8"}, {"model.moe.per_token", "2"},
                         {"model.moe.ffn", "64"},    {"model.moe.dense_layers", "1"},
                         {"run.sequence", "64"},     {"plan.data", "4"},
                         {"plan.expert", "4"}};
  const WorkloadSet equal(small(plan)), unequal(small(with(plan, {{"run.imbalance.zipf", "1"}})));
  ASSERT_EQ(unequal.classes(), 4);
  WideCount sum = 0, most = 0;
  for (std::int64_t c = 0; c < 4; ++c) {
    const WideCount activations = memory_of(unequal, c).activations;
    sum += activations;
    most = std::max(most, activations);
  }
  const WideCount each = memory_of(equal, 0).activations;
  EXPECT_EQ(format_wide(sum), format_wide(4 * each));
  EXPECT_GT(most, each);
  // Each of several micro-batches in flight has its own loads.
  const WorkloadSet gpipe(small(with(
      plan,
      {{"run.imbalance.zipf", "1"}, {"plan.pipeline", "2"}, {"plan.order", "gpipe"}, {"run.micro_batches", "3"}})));
  sum = 0;
  for (std::int64_t c = 0; c < 8; ++c) sum += memory_of(gpipe, c).activations;
  EXPECT_EQ(format_wide(sum), format_wide(4 * 3 * each));
}

TEST(MemoryOfWorkloads, PassesInFlight) {
  const auto of = [](PipelineOrder order, std::int64_t stage, std::int64_t chunks = 1) {
    ParallelPlan plan;
    plan.pipeline = 4;
    plan.order = order;
    plan.chunks = chunks;
    return passes_in_flight(plan, 8, stage);
  };
  EXPECT_EQ(of(PipelineOrder::gpipe, 2), 8);
  EXPECT_EQ(of(PipelineOrder::one_f_one_b, 0), 4);
  EXPECT_EQ(of(PipelineOrder::one_f_one_b, 3), 1);
  EXPECT_EQ(of(PipelineOrder::interleaved, 0, 2), 11);
  EXPECT_EQ(of(PipelineOrder::zb_h1, 3), 4);
}

TEST(MemoryOfWorkloads, OfARank) {
  const auto of = [](const Settings& plan) { return memory_of(WorkloadSet(small(plan)), 0); };
  const RankMemory ddp = of({{"plan.data", "4"}}), zero1 = of({{"plan.data", "4"}, {"plan.shard", "zero1"}});
  const RankMemory zero2 = of({{"plan.data", "4"}, {"plan.shard", "zero2"}});
  const RankMemory zero3 = of({{"plan.data", "4"}, {"plan.shard", "zero3"}});
  const WideCount n = 5'247'232;
  EXPECT_EQ(ddp.parameters, 2 * n);
  EXPECT_EQ(ddp.gradients, 4 * n);
  EXPECT_EQ(ddp.optimizer, 12 * n);
  EXPECT_EQ(ddp.activations, static_cast<WideCount>(8) * 106'496);
  EXPECT_EQ(zero1.gradients, 4 * n);
  EXPECT_EQ(zero1.optimizer, 3 * n);
  EXPECT_EQ(zero2.gradients, n);
  EXPECT_EQ(zero2.parameters, 2 * n);
  EXPECT_EQ(zero3.parameters, n / 2);
  EXPECT_EQ(zero3.all(), n / 2 + n + 3 * n + ddp.activations);
  // Keys and values of three prompts of 16 tokens and four tokens after each: 2·b·G·D·L/t per token.
  const RankMemory both =
      of({{"run.mode", "both"}, {"run.micro_batch", "3"}, {"run.tokens", "4"}, {"plan.tensor", "2"}});
  EXPECT_EQ(both.keys, static_cast<WideCount>(3 * 20) * 2 * 2 * 4 * 32 * 8 / 2);
  EXPECT_EQ(both.gradients + both.optimizer + both.activations, 0U);
}

}  // namespace
}  // namespace convert
