// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "small_workload.h"

namespace convert {
namespace {

const Settings offloaded = {{"plan.memory", "offload"}, {"plan.data", "4"}, {"run.micro_batches", "2"}};

StageFigures figures_of(const Settings& plan) { return WorkloadSet(small(plan)).figures(0); }

// Every gradient leaves as a shard each time it is reduced, every parameter returns each time it is gathered.
TEST(FarMemory, OffloadsShards) {
  const WideCount n = 5'247'232;
  const StageFigures zero1 = figures_of(with(offloaded, {{"plan.shard", "zero1"}}));
  EXPECT_EQ(zero1.stores.bytes, 4 * n / 4);
  EXPECT_EQ(zero1.loads.bytes, 2 * n / 4);
  EXPECT_EQ(zero1.loads.count, calls(zero1, Collective::all_gather, GroupKind::data).count);
  const StageFigures zero2 = figures_of(with(offloaded, {{"plan.shard", "zero2"}}));
  EXPECT_EQ(zero2.stores.bytes, 2 * 4 * n / 4);
  EXPECT_EQ(zero2.loads.bytes, 2 * n / 4);
  const StageFigures zero3 = figures_of(with(offloaded, {{"plan.shard", "zero3"}}));
  EXPECT_EQ(zero3.stores.bytes, 2 * 4 * n / 4);
  EXPECT_EQ(zero3.loads.bytes, static_cast<WideCount>(bytes(zero3, Collective::all_gather, GroupKind::data)));
  EXPECT_EQ(zero3.loads.count, 2U * (2 * 8 + 2));
  // A single rank has no other rank to share with, but a host.
  const StageFigures alone = figures_of({{"plan.memory", "offload"}, {"plan.shard", "zero2"}});
  EXPECT_EQ(alone.stores.bytes, 4 * n);
  EXPECT_EQ(alone.loads.bytes, 2 * n);
}

TEST(FarMemory, TheHostUpdatesWhatItHas) {
  const Trace t =
      WorkloadSet(
          small(with(offloaded, {{"plan.shard", "zero1"}, {"time.peak", "1TFLOPS"}, {"time.host", "10GB/s"}})))
          .trace(0);
  int optimizers = 0, moves = 0;
  for (const Node& n : t.nodes.nodes) {
    const auto attrs = t.nodes.attributes(n);
    const bool host = int_value(attrs, attr::is_cpu_op).value != 0;
    EXPECT_EQ(host, t.nodes.name(n) == "optimizer");
    if (host) {
      ++optimizers;
      EXPECT_EQ(int_value(attrs, attr::duration_nanos).value, 5'247'232 / 4 * 30 / 10);
    }
    if (n.type != NodeType::mem_load && n.type != NodeType::mem_store) continue;
    ++moves;
    EXPECT_EQ(int_value(attrs, attr::tensor_loc).value, 2);
    EXPECT_GT(int_value(attrs, attr::tensor_size).value, 0);
  }
  EXPECT_EQ(optimizers, 1);
  EXPECT_EQ(moves, 2);
}

TEST(FarMemory, LoadsTokensAndKeys) {
  const StageFigures input = figures_of({{"plan.memory", "input"}, {"run.micro_batches", "3"}});
  EXPECT_EQ(input.loads.count, 3U);
  EXPECT_EQ(input.loads.bytes, 3U * 8 * 16);
  EXPECT_EQ(input.stores.count, 0U);
  EXPECT_EQ(figures_of({{"plan.memory", "input"}, {"run.mode", "prefill"}}).loads.bytes, 8U * 16);
  // A token has 2·b·G·D bytes in each of 8 layers; 16 and 17 tokens are read, 16 + 2 written.
  const StageFigures keys = figures_of({{"plan.memory", "offload"}, {"run.mode", "both"}, {"run.tokens", "2"}});
  EXPECT_EQ(keys.loads.bytes, static_cast<WideCount>(8 * 512) * (16 + 17));
  EXPECT_EQ(keys.stores.bytes, static_cast<WideCount>(8 * 512) * (16 + 2));
}

TEST(FarMemory, ContradictionsNameBothKeys) {
  EXPECT_EQ(failure({{"plan.memory", "offload"}}), "plan.memory offload needs plan.shard of zero1, zero2 or zero3");
  EXPECT_EQ(failure({{"plan.memory", "offload"},
                     {"run.mode", "both"},
                     {"plan.data", "2"},
                     {"plan.disaggregate.prefill", "1"},
                     {"plan.disaggregate.decode", "1"}}),
            "plan.memory offload and plan.disaggregate cannot be combined");
  EXPECT_EQ(failure({{"time.host", "10GB/s"}}), "time.host needs time.peak");
  EXPECT_EQ(failure({{"time.host", "10GB/s"}, {"time.peak", "1TFLOPS"}}),
            "time.host needs plan.memory offload and run.mode train");
}

}  // namespace
}  // namespace convert
