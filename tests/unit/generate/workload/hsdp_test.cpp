// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "small_workload.h"

namespace convert {
namespace {

using Members = std::vector<std::uint32_t>;

const Settings eight_experts = {{"model.moe.experts", "8"}, {"model.moe.per_token", "2"}, {"model.moe.ffn", "128"}};

TEST(Hsdp, GroupsAreThoseOfShardsAndReplicas) {
  const PlanGroups groups(small({{"plan.tensor", "2"}, {"plan.data", "8"}, {"plan.hsdp", "4"}}).plan, false);
  const std::vector<CommGroup> all = groups.all();
  ASSERT_EQ(all.size(), 8U + 4 + 8 + 1);  // tp, dpcp, dpcp-repl, world
  EXPECT_EQ(all[8].ranks, (Members{0, 2, 4, 6}));
  EXPECT_EQ(all[9].ranks, (Members{1, 3, 5, 7}));
  EXPECT_EQ(all[10].ranks, (Members{8, 10, 12, 14}));
  EXPECT_EQ(all[12].ranks, (Members{0, 8}));
  EXPECT_EQ(all[13].ranks, (Members{1, 9}));
  EXPECT_EQ(all[19].ranks, (Members{7, 15}));
  EXPECT_EQ(groups.id(GroupKind::replicas, 15), 20);
}

// Every rank is in one group of each kind, and each group has its size, for any order of dimensions.
TEST(Hsdp, GroupsPartTheRanks) {
  const Settings plan = with(eight_experts, {{"plan.context", "2"},
                                             {"plan.data", "8"},
                                             {"plan.pipeline", "2"},
                                             {"plan.expert", "4"},
                                             {"plan.shard", "zero3"},
                                             {"plan.hsdp", "8"}});
  const PlanGroups groups(small(plan).plan, true);
  const std::vector<CommGroup> all = groups.all();
  std::map<std::int64_t, std::size_t> sizes;
  for (const CommGroup& g : all) sizes[g.id] = g.ranks.size();
  EXPECT_EQ(sizes.size(), static_cast<std::size_t>(groups.count()));
  for (Rank r = 0; r < 32; ++r) {
    for (std::size_t k = 0; k < group_kind_names.size(); ++k) {
      const auto kind = static_cast<GroupKind>(k);
      if (groups.size(kind) == 1) continue;
      EXPECT_EQ(sizes.at(groups.id(kind, r)), static_cast<std::size_t>(groups.size(kind))) << name(kind);
    }
  }
  // The experts of a rank equal the experts of its partner in the other replica.
  EXPECT_EQ(all.at(static_cast<std::size_t>(groups.id(GroupKind::expert_data, 1) - 1)).ranks, (Members{1, 5}));
  EXPECT_EQ(all.at(static_cast<std::size_t>(groups.id(GroupKind::expert_replicas, 1) - 1)).ranks, (Members{1, 9}));
}

TEST(Hsdp, ReplicasReduceTheirShards) {
  for (const char* shard : {"zero1", "zero2", "zero3"}) {
    const Settings base = {{"plan.data", "8"}, {"plan.shard", shard}, {"run.micro_batches", "2"}};
    const StageFigures all = WorkloadSet(small(base)).figures(0);
    const StageFigures parts = WorkloadSet(small(with(base, {{"plan.hsdp", "2"}}))).figures(0);
    EXPECT_EQ(calls(all, Collective::all_reduce, GroupKind::replicas).count, 0U);
    // One call for each reduction, each of half the size: all sizes are even.
    EXPECT_EQ(calls(parts, Collective::all_reduce, GroupKind::replicas).count,
              calls(parts, Collective::reduce_scatter, GroupKind::data).count);
    EXPECT_EQ(2 * bytes(parts, Collective::all_reduce, GroupKind::replicas),
              bytes(parts, Collective::reduce_scatter, GroupKind::data));
    EXPECT_EQ(bytes(parts, Collective::reduce_scatter, GroupKind::data),
              bytes(all, Collective::reduce_scatter, GroupKind::data));
    EXPECT_EQ(bytes(parts, Collective::all_gather, GroupKind::data),
              4 * bytes(all, Collective::all_gather, GroupKind::data));
    EXPECT_EQ(parts.optimizer_parameters, 4 * all.optimizer_parameters);
  }
  // Sharding over all ranks equals zero3 without hsdp.
  const Settings base = {{"plan.data", "8"}, {"plan.shard", "zero3"}};
  EXPECT_EQ(WorkloadSet(small(with(base, {{"plan.hsdp", "8"}}))).figures(0).nodes,
            WorkloadSet(small(base)).figures(0).nodes);
}

// If each rank of a replica has its own experts, they are not divided, but reduced as a whole over the replicas.
TEST(Hsdp, ExpertsThatAReplicaHasOnce) {
  const Settings plan = with(eight_experts, {{"plan.data", "8"}, {"plan.expert", "4"}, {"plan.shard", "zero2"}});
  const StageFigures f = WorkloadSet(small(with(plan, {{"plan.hsdp", "4"}}))).figures(0);
  EXPECT_EQ(calls(f, Collective::reduce_scatter, GroupKind::expert_data).count, 0U);
  EXPECT_EQ(bytes(f, Collective::all_reduce, GroupKind::expert_replicas), 4U * 8 * 2 * 3 * 256 * 128);
}

TEST(Hsdp, ContradictionsNameBothKeys) {
  EXPECT_EQ(failure({{"plan.data", "8"}, {"plan.hsdp", "4"}}),
            "plan.hsdp 4 needs plan.shard of zero1, zero2 or zero3");
  EXPECT_EQ(failure({{"plan.data", "8"}, {"plan.shard", "zero3"}, {"plan.hsdp", "3"}}),
            "plan.context × data 8 is not a multiple of plan.hsdp 3");
  EXPECT_EQ(failure({{"plan.data", "8"}, {"plan.shard", "zero3"}, {"plan.hsdp", "1"}}),
            "plan.hsdp 1: one rank has nothing to shard; use plan.shard ddp for whole replicas");
  EXPECT_EQ(failure(with(eight_experts,
                         {{"plan.data", "8"}, {"plan.expert", "8"}, {"plan.shard", "zero1"}, {"plan.hsdp", "4"}})),
            "plan.tensor × plan.hsdp 4 is not a multiple of plan.expert 8");
}

}  // namespace
}  // namespace convert
