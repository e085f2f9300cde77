// SPDX-License-Identifier: MIT
#include "generate/workload/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "generate/workload/memory.h"
#include "small_workload.h"

namespace convert {
namespace {

TEST(Workload, CallsOfALayerWithTensorParallelism) {
  const StageFigures whole = WorkloadSet(small({{"plan.tensor", "4"}})).figures(0);
  // Four per layer, one for the embedding, three for the loss, one back from the head.
  EXPECT_EQ(calls(whole, Collective::all_reduce, GroupKind::tensor).count, 8U * 4 + 5);
  const StageFigures parts =
      WorkloadSet(small({{"plan.tensor", "4"}, {"plan.sequence_parallel", "true"}})).figures(0);
  EXPECT_EQ(calls(parts, Collective::all_gather, GroupKind::tensor).count, 8U * 6 + 3);
  EXPECT_EQ(calls(parts, Collective::reduce_scatter, GroupKind::tensor).count, 8U * 4 + 2);
}

// Rajbhandari et al. 2020, §7: 2Ψ moved by each rank without shards, with zero1 and zero2, 3Ψ with zero3; rings
// move an all-reduce twice.
TEST(Workload, VolumesOfZeroAreThoseOfThePaper) {
  const auto moved = [](const char* shard) {
    const StageFigures f =
        WorkloadSet(small({{"plan.data", "4"}, {"plan.shard", shard}, {"run.gradients", "bf16"}})).figures(0);
    return 2 * bytes(f, Collective::all_reduce, GroupKind::data) +
           bytes(f, Collective::reduce_scatter, GroupKind::data) +
           4 * bytes(f, Collective::all_gather, GroupKind::data);  // comm_size is a shard
  };
  const auto once = static_cast<std::uint64_t>(2 * WorkloadSet(small()).figures(0).parameters);
  EXPECT_EQ(moved("ddp"), 2 * once);
  EXPECT_EQ(moved("zero1"), 2 * once);
  EXPECT_EQ(moved("zero2"), 2 * once);
  const std::uint64_t ends = 2 * 1024 * 256 * 2 + 256 * 2;  // embedding, head and norm are gathered only once
  EXPECT_EQ(moved("zero3"), 3 * once - ends);
}

// If gradients of weights have their own pass, they are reduced after it.
TEST(Workload, GradientsAreReducedWhenThereAreAll) {
  for (const char* const shard : {"zero2", "zero3"}) {
    const WorkloadSet set(small({{"plan.data", "2"},
                                 {"plan.pipeline", "2"},
                                 {"plan.order", "zb-h1"},
                                 {"run.micro_batches", "3"},
                                 {"plan.shard", shard}}));
    std::uint64_t calls = 0, waiting = 0;
    for (const BodyNode& n : set.body(0).nodes) {
      if (n.type != NodeType::comm_coll || n.op != Collective::reduce_scatter) continue;
      const StageBody& b = set.body(0);
      const std::string name(b.names[b.nodes[static_cast<std::size_t>(b.deps[n.first_dep])].name]);
      ++calls;
      if (name == "qkv_wgrad") ++waiting;
    }
    EXPECT_EQ(calls, 3U * (4 + 1)) << shard;
    EXPECT_EQ(waiting, calls) << shard;
  }
}

// Kept parameters are not gathered again, and take memory in addition to the shard.
TEST(Workload, ParametersThatAreKeptAreGatheredOnce) {
  const Settings zero3 = {{"plan.data", "4"}, {"plan.shard", "zero3"}, {"run.micro_batches", "3"}};
  const WorkloadSet dropped(small(zero3)), kept(small(with(zero3, {{"plan.reshard", "false"}})));
  const auto gathered = [](const WorkloadSet& set) {
    return calls(set.figures(0), Collective::all_gather, GroupKind::data);
  };
  EXPECT_EQ(gathered(dropped).count, 3U * (2 * 8 + 2));
  EXPECT_EQ(gathered(kept).count, 3U * (8 + 2));
  const auto parameters = static_cast<WideCount>(kept.figures(0).parameters);
  EXPECT_EQ(4 * gathered(kept).bytes, 3 * 2 * parameters);
  EXPECT_EQ(memory_of(dropped, 0).parameters, 2 * parameters / 4);
  EXPECT_EQ(memory_of(kept, 0).parameters, 2 * parameters / 4 + 2 * parameters);
}

TEST(Workload, PipelineMessagesMeet) {
  for (const char* order : {"gpipe", "1f1b", "interleaved", "zb-h1"}) {
    Workload w =
        small({{"plan.pipeline", "4"}, {"plan.tensor", "2"}, {"run.micro_batches", "8"}, {"plan.order", order}});
    if (w.plan.order == PipelineOrder::interleaved) w.plan.chunks = 2;
    EXPECT_TRUE(messages_meet(WorkloadSet(w))) << order;
  }
}

TEST(Workload, GroupsAreNumberedByKindAndHoldTheirMembers) {
  const WorkloadSet set(
      small({{"plan.tensor", "2"}, {"plan.context", "2"}, {"plan.data", "2"}, {"plan.pipeline", "2"}}));
  const std::vector<CommGroup> groups = set.groups();
  ASSERT_EQ(groups.size(), static_cast<std::size_t>(set.group_count()));
  ASSERT_EQ(groups.size(), 8U + 8 + 4 + 8 + 1);
  using Ranks = std::vector<std::uint32_t>;
  EXPECT_EQ(groups[0].ranks, (Ranks{0, 1}));         // tp
  EXPECT_EQ(groups[8].ranks, (Ranks{0, 2}));         // cp
  EXPECT_EQ(groups[16].ranks, (Ranks{0, 2, 4, 6}));  // dpcp
  EXPECT_EQ(groups[20].ranks, (Ranks{0, 8}));        // embd
  EXPECT_EQ(groups[28].ranks.size(), 16U);           // world
  for (std::size_t i = 0; i < groups.size(); ++i) EXPECT_EQ(groups[i].id, static_cast<std::int64_t>(i) + 1);
  const Trace t = set.trace(13);
  for (const Node& n : t.nodes.nodes) {
    if (n.type != NodeType::comm_coll) continue;
    const auto id = string_value(t.nodes, t.nodes.attributes(n), attr::pg_name);
    ASSERT_TRUE(id);
    EXPECT_NE(*id, "0") << "an all-rank collective of that name hangs stock ASTRA-sim";
    const CommGroup& group = groups.at(std::stoul(std::string(*id)) - 1);
    EXPECT_NE(std::ranges::find(group.ranks, 13U), group.ranks.end());
  }
}

TEST(Workload, ExpertsOnEveryRankHaveTheirGradientsReduced) {
  Workload w = small(
      {{"model.moe.experts", "4"}, {"model.moe.per_token", "2"}, {"model.moe.ffn", "128"}, {"plan.data", "4"}});
  const StageFigures f = WorkloadSet(w).figures(0);
  EXPECT_EQ(calls(f, Collective::all_reduce, GroupKind::expert_data).count, 8U);
  EXPECT_EQ(
      bytes(f, Collective::all_reduce, GroupKind::expert_data) + bytes(f, Collective::all_reduce, GroupKind::data),
      static_cast<std::uint64_t>(4 * f.parameters));
}

TEST(Workload, ComputationsTakeTheLongerOfOperationsAndBytes) {
  // A forward pass of the first layer's norm: 5·16·256 operations, 3·2·16·256 bytes; qkv: 2·16·256·512 operations.
  const auto times = [](std::initializer_list<WorkloadSetting> settings) {
    const Trace t = WorkloadSet(small(settings)).trace(0);
    std::map<std::string, std::pair<std::uint64_t, std::int64_t>, std::less<>> out;
    for (const Node& n : t.nodes.nodes) {
      const IntValue ns = int_value(t.nodes.attributes(n), attr::duration_nanos);
      out.try_emplace(std::string(t.nodes.name(n)), n.duration_us, ns ? ns.value : -1);
    }
    return out;
  };
  auto t = times({{"time.peak", "0.001TFLOPS"}});
  EXPECT_EQ(t["norm1"], std::pair(std::uint64_t{20}, std::int64_t{20'480}));
  EXPECT_EQ(t["qkv"], std::pair(std::uint64_t{4194}, std::int64_t{4'194'304}));
  t = times({{"time.peak", "1GFLOPS"}, {"time.memory", "1GB/s"}, {"time.efficiency.gemm", "0.5"}});
  EXPECT_EQ(t["norm1"].second, 24'576) << "bound by memory";
  EXPECT_EQ(t["qkv"].second, 2 * 4'194'304);
  EXPECT_EQ(times({})["qkv"], std::pair(std::uint64_t{0}, std::int64_t{-1}));
}

TEST(Workload, ContradictionsNameBothKeys) {
  EXPECT_EQ(failure({{"plan.tensor", "3"}}), "model.heads 8 is not a multiple of plan.tensor 3");
  EXPECT_EQ(failure({{"plan.sequence_parallel", "true"}}), "plan.sequence_parallel needs plan.tensor of 2 or more");
  EXPECT_EQ(failure({{"plan.context", "3"}}), "run.sequence 16 is not a multiple of twice plan.context, 6");
  EXPECT_EQ(failure({{"plan.pipeline", "16"}}), "plan.pipeline × plan.chunks 16 is more than model.layers 8");
  EXPECT_EQ(failure({{"plan.expert", "2"}}), "plan.expert 2: the model has no model.moe.experts");
  EXPECT_EQ(failure({{"plan.pipeline", "4"}, {"plan.layers", "2;2;2;1"}}),
            "plan.layers add up to 7, not to model.layers 8");
  EXPECT_EQ(failure({{"plan.pipeline", "2"}, {"plan.chunks", "2"}}),
            "plan.order interleaved and plan.chunks of 2 or more require each other");
  EXPECT_EQ(failure({{"plan.data", "1099511627776"}, {"plan.pipeline", "8"}}),
            "plan.tensor × context × data × pipeline is more than 16777216 NPUs");
  EXPECT_EQ(failure({{"model.layers", "1000000"}}),
            "model.layers 1000000 × run.micro_batches 1 is more than 524288");
  EXPECT_EQ(failure({{"model.hidden", "1099511627776"}}),
            "the sizes of model are too large: numbers of bytes or operations would not fit into 63 bits");
  EXPECT_EQ(failure({{"run.sequence", "1099511627776"}}),
            "the sizes of model and run are too large: numbers of bytes or operations would not fit into 63 bits");
  EXPECT_EQ(failure({{"time.memory", "1TB/s"}}), "time.memory needs time.peak");
  EXPECT_EQ(failure({{"time.peak", "989"}}), "time.peak: 989: expected operations per second, such as 989TFLOPS");
  EXPECT_EQ(failure({{"time.efficiency.gemm", "70"}}),
            "time.efficiency.gemm: 70: expected a share from 0.001 to 1");
  for (const char* peak : {"1e-300TFLOPS", "0.99GFLOPS", "1000001PFLOPS", "0TFLOPS"})
    EXPECT_EQ(failure({{"time.peak", peak}}),
              "time.peak: " + std::string(peak) + ": expected from 1GFLOPS to 1000000PFLOPS");
  for (const char* key : {"time.memory", "time.host"})
    EXPECT_EQ(failure({{key, "0.5MB/s"}}), key + std::string(": 0.5MB/s: expected from 1MB/s to 1000000TB/s"));
  EXPECT_EQ(failure({{"plan.prefetch", "2"}, {"plan.shard", "zero1"}}), "plan.prefetch 2 needs plan.shard zero3");
  EXPECT_EQ(failure({{"plan.reshard", "false"}}), "plan.reshard false needs plan.shard zero3");
  EXPECT_EQ(failure({{"plan.buckets", "megatron"}, {"plan.shard", "zero2"}}),
            "plan.buckets megatron needs plan.shard ddp or zero1: other values reduce the gradients of each layer");
  EXPECT_EQ(failure({{"run.mode", "prefill"}, {"plan.prefetch", "3"}}),
            "plan.prefetch 3 is for run.mode train, not for run.mode prefill");
  EXPECT_EQ(failure({{"run.mode", "prefill"}, {"plan.buckets", "megatron"}}),
            "plan.buckets megatron is for run.mode train, not for run.mode prefill");
  EXPECT_EQ(failure({{"plan.dimensions", "true"}, {"plan.shard", "zero1"}, {"plan.data", "4"}, {"plan.hsdp", "2"}}),
            "plan.dimensions and plan.hsdp 2 cannot be combined");
  EXPECT_EQ(failure({{"run.tensors", "true"}, {"run.mode", "decode"}}),
            "run.tensors and a run.mode other than train cannot be combined");
  EXPECT_EQ(failure({{"run.tensors", "true"}, {"plan.context", "2"}}),
            "run.tensors and plan.context 2 cannot be combined");
  EXPECT_EQ(failure({{"time.by", "recorded"}}), "time.by: recorded: expected roofline");
  EXPECT_EQ(failure({{"plan.data", "9223372036854775808"}}),
            "plan.data: 9223372036854775808: expected at most 1099511627776");
  EXPECT_EQ(failure({{"plan.data", "1099511627777"}}), "plan.data: 1099511627777: expected at most 1099511627776");
  EXPECT_EQ(failure({{"plan.data", "0"}}), "plan.data: 0: expected an integer of at least 1");
  EXPECT_EQ(failure({{"plan.tensr", "2"}}), "unknown key 'plan.tensr'; did you mean plan.tensor?");
  EXPECT_EQ(failure({{"plan.tensor", "two"}}), "plan.tensor: two: expected an integer of at least 1");
  EXPECT_EQ(failure({{"plan.shard", "zero4"}}), "plan.shard: zero4: expected ddp or zero1 or zero2 or zero3");
}

}  // namespace
}  // namespace convert
