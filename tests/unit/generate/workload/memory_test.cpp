// SPDX-License-Identifier: MIT
#include "generate/workload/memory.h"

#include <gtest/gtest.h>

#include "small_workload.h"

namespace convert {
namespace {

// Korthikanti et al. 2022, table 2, of a layer of GPT-3: S 2048, B 1, H 12288, A 96, t 8.
TEST(MemoryOfWorkloads, ActivationsOfALayerAreThoseOfThePaper) {
  const auto bytes = [](const Settings& plan) {
    Workload w = preset_workload("gpt3-175b", 0);
    w.plan = {.tensor = 8};
    w.step = {.sequence = 2048, .operations = OperationCount::model};
    for (const WorkloadSetting& s : plan) set_workload(w, s);
    return static_cast<std::int64_t>(activation_bytes_of_layer(w));
  };
  const std::int64_t each = 2048 * 12288, scores = std::int64_t{5} * 96 * 2048 * 2048 / 8;
  EXPECT_EQ(bytes({}), 10 * each + 3 * each + scores);
  EXPECT_EQ(bytes({{"plan.sequence_parallel", "true"}}), 34 * each / 8 + scores);
  EXPECT_EQ(bytes({{"plan.sequence_parallel", "true"}, {"plan.recompute", "selective"}}), 34 * each / 8);
  EXPECT_EQ(bytes({{"plan.recompute", "full"}}), 2 * each);
  EXPECT_EQ(bytes({{"run.flops", "hardware"}}), 13 * each) << "a fused kernel keeps no scores";
  EXPECT_EQ(bytes({{"plan.context", "2"}, {"run.flops", "hardware"}}), 13 * each / 2);
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
  EXPECT_EQ(ddp.activations, static_cast<WideCount>(8) * 34 * 16 * 256);
  EXPECT_EQ(zero1.gradients, 4 * n);
  EXPECT_EQ(zero1.optimizer, 3 * n);
  EXPECT_EQ(zero2.gradients, n);
  EXPECT_EQ(zero2.parameters, 2 * n);
  EXPECT_EQ(zero3.parameters, n / 2);
  EXPECT_EQ(zero3.all(), n / 2 + n + 3 * n + ddp.activations);
  // Keys and values of three prompts of 16 tokens and four after them: 2·b·G·D·L/t of a token.
  const RankMemory both =
      of({{"run.mode", "both"}, {"run.micro_batch", "3"}, {"run.tokens", "4"}, {"plan.tensor", "2"}});
  EXPECT_EQ(both.keys, static_cast<WideCount>(3 * 20) * 2 * 2 * 4 * 32 * 8 / 2);
  EXPECT_EQ(both.gradients + both.optimizer + both.activations, 0U);
}

}  // namespace
}  // namespace convert
