// SPDX-License-Identifier: MIT
#include "sets/scaled/scaling.h"

#include <gtest/gtest.h>

#include "common/error_text.h"
#include "config/workload/metadata.h"
#include "generate/workload/workload.h"
#include "sets/scaled/scaled_groups.h"
#include "split_sets.h"

namespace convert {
namespace {

using namespace test;
using Settings = std::vector<WorkloadSetting>;

WorkloadSet workload(std::int64_t data, std::int64_t layers, const Settings& settings) {
  Workload w;
  w.name = "small";
  w.model = {.layers = layers, .hidden = 60, .heads = 4, .kv_heads = 2, .ffn = 100, .vocab = 250};
  w.step.sequence = 16;
  for (const WorkloadSetting& s : settings) set_workload(w, s);
  w.plan.data = data;
  return WorkloadSet(w);
}

HeldSet generated(std::int64_t data, std::int64_t layers, const Settings& settings) {
  const WorkloadSet set = workload(data, layers, settings);
  std::vector<Trace> traces;
  for (Rank r = 0; r < set.ranks(); ++r) traces.push_back(set.trace(r));
  return HeldSet(std::move(traces), groups_text(set.groups()));
}

// A grown set equals the generated one, byte for byte: nodes, metadata, groups; also as a class-compressed set.
void expect_same(std::int64_t from, std::int64_t to, std::int64_t layers, const Settings& settings) {
  std::string which = std::to_string(from) + " to " + std::to_string(to);
  for (const WorkloadSetting& s : settings) which += " " + s.key + "=" + s.value;
  SCOPED_TRACE(which);
  HeldSet small = generated(from, layers, settings), large = generated(to, layers, settings);
  ScaledSet scaled(small, {.which = "dp", .ranks = static_cast<std::uint64_t>(to)});
  EXPECT_EQ(scaled.independent_ranks(), large.independent_ranks());
  const auto expected = set_bytes(large);
  EXPECT_TRUE(set_bytes(scaled) == expected);
  ClassSet classes("held", workload(from, layers, settings).master());
  ScaledSet of_classes(classes, {.which = "dp", .ranks = static_cast<std::uint64_t>(to)});
  EXPECT_EQ(of_classes.master()->classes.size(), classes.master()->classes.size());
  EXPECT_TRUE(set_bytes(of_classes) == expected);
}

Settings with(std::string shard, Settings more) {
  more.insert(more.begin(), {"plan.shard", std::move(shard)});
  return more;
}

constexpr std::array shards = {"ddp", "zero1", "zero2", "zero3"};

TEST(Scaling, FourReplicasBecomeSixteen) {
  for (const char* shard : shards) expect_same(4, 16, 4, with(shard, {}));
}

TEST(Scaling, EightReplicasBecome1024) {
  for (const char* shard : shards) expect_same(8, 1024, 1, with(shard, {}));
}

TEST(Scaling, OtherParallelismIsRepeated) {
  const Settings parallel = {{"plan.tensor", "2"},   {"plan.sequence_parallel", "yes"}, {"plan.context", "2"},
                             {"plan.pipeline", "2"}, {"run.micro_batches", "3"},        {"run.iterations", "2"}};
  for (const char* shard : shards) expect_same(3, 6, 4, with(shard, parallel));
}

TEST(Scaling, ExpertsStayWhereTheyAre) {
  Settings experts = {{"model.moe.experts", "8"},
                      {"model.moe.per_token", "2"},
                      {"model.moe.ffn", "64"},
                      {"model.moe.dense_layers", "1"}};
  for (const char* shard : shards) expect_same(2, 6, 3, with(shard, experts));
  experts.insert(experts.end(), {{"plan.expert", "4"}, {"plan.pipeline", "2"}});
  for (const char* shard : shards) expect_same(8, 16, 4, with(shard, experts));
  HeldSet one = generated(4, 2, experts);
  EXPECT_EQ(
      error_message([&] { ScaledSet set(one, {.which = "dp", .ranks = 8}); }).substr(0, 106),
      "node 7 (all_to_all) of rank 4 is an all_to_all in a group that grows, which would redistribute experts or ");
}

TEST(Scaling, TimesOfTheOptimizerAreThoseOfItsShard) {
  const Settings times = {{"time.peak", "1GFLOPS"}, {"time.memory", "1GB/s"}, {"model.tied", "yes"}};
  for (const char* shard : shards) expect_same(3, 15, 2, with(shard, times));
}

TEST(Scaling, ReplicasOfShardsGrow) {
  expect_same(4, 12, 2, {{"plan.shard", "zero3"}, {"plan.hsdp", "2"}});
  HeldSet all = generated(4, 2, {{"plan.shard", "zero3"}, {"plan.hsdp", "4"}});
  EXPECT_EQ(error_message([&] { ScaledSet set(all, {.which = "dp", .ranks = 8}); }),
            "--scale: with plan.hsdp 4 all data-parallel ranks share one set of shards, so there are no replicas "
            "to grow; generate the workload with plan.data at least twice as large, and scale that");
}

TEST(Scaling, WhatIsGatheredMayStay) { expect_same(4, 8, 2, {{"plan.shard", "zero3"}, {"plan.reshard", "false"}}); }

// Megatron-LM's buckets grow beyond 40 ranks: the settings are then invalid if a rank has several buckets.
TEST(Scaling, BucketsThatMegatronMakesLarger) {
  const Settings megatron = {{"plan.buckets", "megatron"}, {"plan.shard", "zero1"}};
  expect_same(30, 60, 1, megatron);
  Settings wide = megatron;
  wide.insert(wide.end(), {{"model.vocab", "1000000"}});
  HeldSet small = generated(30, 1, wide);
  ScaledSet scaled(small, {.which = "dp", .ranks = 60});
  EXPECT_FALSE(told_workload(scaled.load(1).back().metadata, "held").has_value());
  EXPECT_EQ(scaled.notes()[2],
            "gradients are reduced in the same buckets, although Megatron-LM would make larger ones: the settings "
            "(workload) are removed from the metadata");
}

// Without settings in the metadata: shards are divided, groups are named.
TEST(Scaling, GroupsByTheirIds) {
  HeldSet told = generated(4, 2, {{"plan.shard", "zero1"}, {"plan.tensor", "2"}});
  std::vector<Trace> traces = told.load(1);
  for (Trace& t : traces) t.metadata.table.attrs.clear();
  const std::string groups = told.groups()->json;
  HeldSet bare(traces, groups);
  ScaledSet scaled(bare, {.which = "5", .ranks = 16});
  HeldSet large = generated(16, 2, {{"plan.shard", "zero1"}, {"plan.tensor", "2"}});
  EXPECT_EQ(scaled.groups()->json, large.groups()->json);
  const std::vector<Trace> a = scaled.load(1), b = large.load(1);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t r = 0; r < a.size(); ++r) {
    ASSERT_EQ(a[r].nodes.nodes.size(), b[r].nodes.nodes.size());
    for (std::size_t i = 0; i < a[r].nodes.nodes.size(); ++i) {
      const auto x = a[r].nodes.attributes(a[r].nodes.nodes[i]), y = b[r].nodes.attributes(b[r].nodes.nodes[i]);
      const IntValue got = int_value(x, attr::comm_size), exact = int_value(y, attr::comm_size);
      EXPECT_LE(std::abs(got.value - exact.value), 2) << r << " " << i;  // one element
    }
  }
  EXPECT_EQ(error_message([&] { ScaledSet set(bare, {.which = "dp", .ranks = 16}); }),
            "--scale dp: the metadata of held does not state the purpose of its groups (attribute workload); use "
            "the id of a data-parallel group, or 0 if all ranks are: --scale 0=16");
  EXPECT_EQ(error_message([&] { ScaledSet set(bare, {.which = "9", .ranks = 16}); }),
            "--scale: there is no group 9; held has 0 (all ranks), 1, 2, 3, 4, 5, 6, 7");
  EXPECT_EQ(error_message([&] { ScaledSet set(bare, {.which = "5", .ranks = 6}); }),
            "--scale 5=6: a multiple of the 4 ranks of the group is required");
}

// Copies of a rank take as long as the rank.
TEST(Scaling, RanksThatDifferInTheirTimes) {
  HeldSet told = generated(4, 1, {{"plan.shard", "zero1"}});
  std::vector<Trace> traces = told.load(1);
  for (Trace& t : traces) {
    for (Node& n : t.nodes.nodes) n.duration_us = n.type == NodeType::comp ? 1000 + n.id * t.rank * t.rank : 0;
  }
  HeldSet set(traces, told.groups()->json);
  ScaledSet scaled(set, {.which = "dp", .ranks = 12});
  const std::vector<Trace> grown = scaled.load(1);
  ASSERT_EQ(grown.size(), 12U);
  for (const Trace& t : grown) EXPECT_EQ(t.nodes.nodes[3].duration_us, 1000 + 3 * (t.rank % 4) * (t.rank % 4));
  EXPECT_EQ(scaled.notes().back().substr(0, 80),
            "ranks differ: the slowest of 4 computes 7.9 % longer than similar ranks, and so ");
}

// A class in which some ranks are in a group that grows, and others in one that does not.
TEST(Scaling, GroupsOfAClassThatGrowOnSomeRanksOnly) {
  std::vector<Trace> traces(8);
  for (Rank r = 0; r < 8; ++r) {
    traces[r].rank = r;
    NodeTable& t = traces[r].nodes;
    t.add_node(0, NodeType::comm_coll, "sum");
    t.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(Collective::all_reduce));
    t.add_int(attr::comm_size, Kind::int64_val, 64);
    t.add_string(attr::pg_name, r % 2 == 0 ? "1" : r < 4 ? "2" : "3");
    t.end_node();
  }
  HeldSet set(traces, R"({"1": [0, 2, 4, 6], "2": [1, 3], "3": [5, 7]})");
  ScaledSet scaled(set, {.which = "1", .ranks = 8});
  EXPECT_EQ(scaled.groups()->json,
            groups_text(std::vector<CommGroup>{
                {1, {0, 2, 4, 6, 8, 10, 12, 14}}, {2, {1, 3}}, {3, {5, 7}}, {4, {9, 11}}, {5, {13, 15}}}));
  std::string names;
  for (const Trace& t : scaled.load(1)) names += std::string(t.nodes.string(t.nodes.attrs[2])) + " ";
  EXPECT_EQ(names, "1 2 1 2 1 3 1 3 1 4 1 4 1 5 1 5 ");
}

TEST(Scaling, IdsOfGroupsThatAreNotNumberedThrough) {
  const RankGrid grid{.stride = 2, .count = 2, .factor = 2};
  const ScaledGroups groups("s", {{10, {0, 1}}, {20, {2, 3}}, {30, {0, 2}}, {40, {1, 3}}}, grid, 4);
  EXPECT_EQ(groups_text(groups.after()),
            groups_text(std::vector<CommGroup>{
                {10, {0, 1}}, {20, {2, 3}}, {30, {0, 2, 4, 6}}, {40, {1, 3, 5, 7}}, {41, {4, 5}}, {42, {6, 7}}}));
  EXPECT_EQ(groups.name("20", 1), "42");
  EXPECT_EQ(groups.name("30", 1), "30");
  EXPECT_EQ(groups.name("", 1), "");
  EXPECT_TRUE(groups.before().at("30").grows);
  EXPECT_FALSE(groups.before().at("10").grows);
}

TEST(Scaling, WhatCannotGrow) {
  EXPECT_EQ(error_message([] { (void)scale_options("tp=8"); }),
            "--scale tp=8: tensor parallelism cannot grow in a trace, because matrices would have other shapes on "
            "each rank; generate the workload with another plan (et-generate --set plan.tensor=…)");
  HeldSet one = generated(1, 1, {{"plan.tensor", "2"}});
  EXPECT_EQ(error_message([&] { ScaledSet set(one, {.which = "dp", .ranks = 4}); }),
            "--scale dp: the plan has one data-parallel rank, whose gradients are not exchanged; generate the "
            "workload with plan.data=2 or more, and scale that");
  HeldSet four = generated(4, 1, {});
  EXPECT_EQ(error_message([&] { ScaledSet set(four, {.which = "dp", .ranks = 2}); }),
            "--scale dp=2: a multiple of the 4 data-parallel ranks is required; use --ranks to select some ranks "
            "of a set");
  std::vector<Trace> part = four.load(1);
  part.pop_back();
  HeldSet three(part);
  EXPECT_EQ(error_message([&] { ScaledSet set(three, {.which = "dp", .ranks = 8}); }),
            "the settings in the metadata are for 4 ranks, but the number of ranks is 3");
}

TEST(Scaling, NotesSayWhatIsAssumed) {
  HeldSet set = generated(4, 1, {{"plan.shard", "zero1"}});
  const ScaledSet scaled(set, {.which = "dp", .ranks = 16});
  EXPECT_EQ(scaled.notes(),
            (std::vector<std::string>{
                "4 ranks become 16: each replica is unchanged, so that the global batch is 4 times as large",
                "shards are 1/4: 4 all_gathers and 8 nodes of optimizer and norm, on 4 ranks; all exact",
                "the cost of more ranks on the network is not included; replay the set to find it"}));
}

}  // namespace
}  // namespace convert
