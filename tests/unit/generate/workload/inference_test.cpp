// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>

#include "generate/workload/parameters.h"
#include "small_workload.h"

namespace convert {
namespace {

const Settings both = {
    {"run.mode", "both"}, {"run.micro_batch", "3"}, {"run.micro_batches", "4"}, {"run.tokens", "5"}};

// "Insights into DeepSeek-V3" (ISCA'25), table 1: 70.272 and 516.096 KB, in bf16.
TEST(Inference, KeysAndValuesOfATokenAreThePublishedOnes) {
  const auto kept = [](const char* preset) { return key_bytes_of_token(preset_workload(preset, 0)); };
  EXPECT_EQ(kept("deepseek-v3"), 70'272);
  EXPECT_EQ(kept("llama3-405b"), 516'096);
  EXPECT_EQ(kept("llama3-70b"), 327'680);
  EXPECT_EQ(kept("llama3-8b"), 131'072);
}

TEST(Inference, NodesOfAStep) {
  const auto nodes = [](const Settings& plan) { return WorkloadSet(small(plan)).figures(0).nodes; };
  // A layer has 8, with tensor parallelism 10; then embedding, norm, logits, sample, and two calls more.
  EXPECT_EQ(nodes({{"run.mode", "prefill"}}), 8U * 8 + 4);
  EXPECT_EQ(nodes({{"run.mode", "decode"}}), 8U * 8 + 4);
  EXPECT_EQ(nodes({{"run.mode", "decode"}, {"plan.tensor", "4"}}), 8U * 10 + 6);
  EXPECT_EQ(nodes({{"run.mode", "both"}, {"run.tokens", "7"}, {"plan.tensor", "4"}}), 8U * (8U * 10 + 6));
  EXPECT_EQ(nodes({{"run.mode", "prefill"}, {"run.micro_batches", "3"}, {"run.iterations", "2"}}),
            6U * (8 * 8 + 4));
}

// One more step attends to one more key: 4·B·A·D operations in each layer; it reads 2·b·B·G·D bytes.
TEST(Inference, EachTokenMeetsAllBefore) {
  const WorkloadSet set(small({{"run.mode", "decode"}, {"run.micro_batch", "3"}, {"run.tokens", "2"}}));
  const StageBody& b = set.body(0);
  std::vector<BodyNode> attention;
  for (const BodyNode& n : b.nodes) {
    if (b.names[n.name] == "attn") attention.push_back(n);
  }
  ASSERT_EQ(attention.size(), 16U);
  EXPECT_EQ(attention[0].operations, 4 * 3 * (16 + 1) * 256);
  EXPECT_EQ(attention[8].operations, 4 * 3 * (16 + 2) * 256);
  EXPECT_EQ(attention[8].size - attention[0].size, 2 * 2 * 3 * 4 * 32);
  // The second step begins with the samples of the first.
  std::vector<std::size_t> samples, embeddings;
  for (std::size_t i = 0; i < b.nodes.size(); ++i) {
    if (b.names[b.nodes[i].name] == "sample") samples.push_back(i);
    if (b.names[b.nodes[i].name] == "embedding") embeddings.push_back(i);
  }
  EXPECT_EQ(b.nodes[embeddings[0]].deps, 0U);
  ASSERT_EQ(b.nodes[embeddings[1]].deps, 1U);
  EXPECT_EQ(b.deps[b.nodes[embeddings[1]].first_dep], static_cast<BodyIndex>(samples[0]));
}

// Latent attention on the compressed cache: kv_rank + rope_size elements per token.
TEST(Inference, LatentAttentionReadsTheCompressedCache) {
  Workload w = preset_workload("deepseek-v3", 0);
  w.plan = {};
  w.step = {.mode = RunMode::decode, .sequence = 4095, .micro_batch = 2};
  const WorkloadSet set(w);
  for (const BodyNode& n : set.body(0).nodes) {
    if (set.body(0).names[n.name] != "attn") continue;
    EXPECT_EQ(n.operations, std::int64_t{2} * 2 * 4096 * 128 * (512 + 64 + 512));
    EXPECT_EQ(n.size, 2 * 2 * (4096 * (512 + 64) + 128 * (512 + 64 + 512)));
  }
}

TEST(Inference, MessagesMeet) {
  EXPECT_TRUE(messages_meet(WorkloadSet(small(with(both, {{"plan.pipeline", "4"}, {"plan.data", "2"}})))));
  EXPECT_TRUE(messages_meet(WorkloadSet(
      small({{"run.mode", "decode"}, {"run.tokens", "3"}, {"plan.pipeline", "2"}, {"run.iterations", "2"}}))));
  for (const auto& [prefill, decode] : std::initializer_list<std::pair<const char*, const char*>>{
           {"1", "1"}, {"4", "2"}, {"3", "1"}, {"2", "4"}, {"1", "4"}}) {
    for (const char* const stages : {"1", "2"}) {
      Workload w = small(with(both, {{"plan.disaggregate.prefill", prefill},
                                     {"plan.disaggregate.decode", decode},
                                     {"plan.pipeline", stages},
                                     {"plan.tensor", "2"},
                                     {"run.iterations", "2"}}));
      w.plan.data = w.plan.prefill_replicas + w.plan.decode_replicas;
      const WorkloadSet set(w);
      EXPECT_TRUE(messages_meet(set)) << prefill << " to " << decode;
      std::int64_t ranks = 0;
      for (std::int64_t c = 0; c < set.classes(); ++c) {
        ranks += set.ranks_of_class(c);
        EXPECT_EQ(set.class_of(set.figures(c).first_rank), c);
        EXPECT_EQ(set.trace(set.figures(c).first_rank).nodes.nodes.size(), set.figures(c).nodes);
      }
      EXPECT_EQ(ranks, set.ranks());
    }
  }
}

// 2·b·S·G·D/t for each layer and prompt.
TEST(Inference, ReplicasHandOverKeysAndValues) {
  const WorkloadSet set(small(with(both, {{"plan.disaggregate.prefill", "2"},
                                          {"plan.disaggregate.decode", "1"},
                                          {"plan.data", "3"},
                                          {"plan.tensor", "2"}})));
  EXPECT_EQ(set.classes(), 2);
  const StageFigures prefill = set.figures(0), decode = set.figures(1);
  EXPECT_EQ(prefill.cache_sends.count, 8U * 4);
  EXPECT_EQ(prefill.cache_sends.bytes, static_cast<WideCount>(8 * 4 * 3) * (2 * 2 * 16 * 4 * 32 / 2));
  EXPECT_EQ(prefill.pipeline_sends.count, 4U) << "the first tokens";
  EXPECT_EQ(prefill.pipeline_sends.bytes, static_cast<WideCount>(4 * 3 * 8));
  // One replica continues the prompts of two.
  EXPECT_EQ(decode.by_type.at(NodeType::comm_recv), 2U * 4 * (8 + 1));
  EXPECT_EQ(decode.by_type.at(NodeType::comp), 2U * 4 * 5 * (8 * 8 + 4));
}

TEST(Inference, ContradictionsNameBothKeys) {
  const Settings prefill = {{"run.mode", "prefill"}};
  EXPECT_EQ(failure(with(prefill, {{"run.tokens", "2"}})),
            "run.tokens 2 needs run.mode decode or both, not run.mode prefill");
  EXPECT_EQ(failure({{"run.tokens", "2"}}), "run.tokens 2 needs run.mode decode or both, not run.mode train");
  EXPECT_EQ(failure(with(prefill, {{"plan.context", "2"}})),
            "plan.context 2 is for run.mode train, not for run.mode prefill");
  EXPECT_EQ(failure(with(prefill, {{"plan.shard", "zero3"}})),
            "plan.shard of zero1, zero2 or zero3 is for run.mode train, not for run.mode prefill");
  EXPECT_EQ(failure(with(prefill, {{"plan.tensor", "2"}, {"plan.sequence_parallel", "true"}})),
            "plan.sequence_parallel is for run.mode train, not for run.mode prefill");
  EXPECT_EQ(failure(with(prefill, {{"plan.recompute", "full"}})),
            "plan.recompute is for run.mode train, not for run.mode prefill");
  EXPECT_EQ(failure(with(prefill, {{"model.moe.experts", "8"},
                                   {"model.moe.per_token", "2"},
                                   {"model.moe.ffn", "64"},
                                   {"plan.tensor", "2"}})),
            "model.moe.experts 8 with run.mode prefill needs plan.tensor 1, not 2");
  EXPECT_EQ(failure({{"run.mode", "decode"}, {"run.tokens", "9"}, {"model.positions", "24"}}),
            "run.sequence + run.tokens 25 is more than model.positions 24");
  EXPECT_EQ(failure({{"run.mode", "decode"}, {"run.tokens", "65537"}}),
            "model.layers 8 × run.micro_batches 1 × run.tokens 65537 is more than 524288");
  EXPECT_EQ(failure({{"run.mode", "serve"}}), "run.mode: serve: expected train or prefill or decode or both");
}

TEST(Inference, ContradictionsOfReplicasNameBothKeys) {
  const auto of = [](const char* mode, const char* prefill, const char* decode, const char* data) {
    return failure({{"run.mode", mode},
                    {"plan.disaggregate.prefill", prefill},
                    {"plan.disaggregate.decode", decode},
                    {"plan.data", data}});
  };
  EXPECT_EQ(of("prefill", "1", "1", "2"), "plan.disaggregate.prefill 1 needs run.mode both, not run.mode prefill");
  EXPECT_EQ(of("both", "1", "2", "4"),
            "plan.disaggregate.prefill + plan.disaggregate.decode 3 are not plan.data 4");
  EXPECT_EQ(of("both", "2", "3", "5"),
            "plan.disaggregate.prefill 2 and plan.disaggregate.decode 3: neither is a multiple of the other");
  EXPECT_EQ(of("both", "1", "2", "3"),
            "run.micro_batches 1 is not a multiple of plan.disaggregate.decode / prefill 2");
  EXPECT_EQ(failure({{"run.mode", "both"}, {"plan.disaggregate.prefill", "1"}}),
            "plan.disaggregate.prefill and plan.disaggregate.decode require each other");
}

}  // namespace
}  // namespace convert
