// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analyze/fidelity/fidelity.h"
#include "analyze/fidelity/set_features.h"
#include "generate/trace_builder.h"

namespace convert {
namespace {

// Computes for 1, 2 and 4 µs, then calls, sends and receives.
Trace some_rank(Rank rank, const char* group, const std::vector<std::string>& names = {"a", "b", "a"}) {
  TraceBuilder b(rank);
  const NodeId first = b.compute(names[0], 1000);
  const NodeId second = b.compute(names[1], 2000, {first});
  const NodeId third = b.compute(names[2], 4000, {first});
  const NodeId call = b.collective(Collective::all_reduce, 64, {second, third}, std::nullopt, group);
  b.send((rank + 1) % 4, 10, 0, {call});
  b.receive((rank + 3) % 4, 10, 0, {call});
  return b.finish();
}

SetFeatures some_set(const std::vector<const char*>& group_of_rank, const GroupRanks& groups) {
  std::vector<RankFeatures> ranks;
  for (Rank r = 0; r < group_of_rank.size(); ++r) ranks.push_back(features_of(some_rank(r, group_of_rank[r])));
  return set_features(std::move(ranks), groups, 4);
}

std::vector<std::pair<std::int64_t, std::uint64_t>> pairs(const Distribution& d) {
  std::vector<std::pair<std::int64_t, std::uint64_t>> out;
  for (const Repeated& r : d.bins()) out.emplace_back(r.value, r.times);
  return out;
}

TEST(Features, CountWhatARankHas) {
  const RankFeatures f = features_of(some_rank(1, "7"));
  using Pairs = std::vector<std::pair<std::int64_t, std::uint64_t>>;
  EXPECT_EQ(f.rank, 1U);
  EXPECT_EQ(f.nodes, 6U);
  EXPECT_EQ(pairs(f.in_degree), (Pairs{{0, 1}, {1, 4}, {2, 1}}));
  EXPECT_EQ(pairs(f.out_degree), (Pairs{{0, 2}, {1, 2}, {2, 2}}));
  EXPECT_EQ(pairs(f.sizes.at(NodeType::comm_coll)), (Pairs{{64, 1}}));
  EXPECT_EQ(pairs(f.sizes.at(NodeType::comm_send)), (Pairs{{10, 1}}));
  const NodeLane computing{NodeLane::Kind::type, 1};
  const Features::InLane& lane = f.lanes.at({computing, NodeType::comp});
  EXPECT_EQ(lane.nodes, 3U);
  EXPECT_EQ(pairs(lane.durations_ns), (Pairs{{1000, 1}, {2000, 1}, {4000, 1}}));
  EXPECT_EQ(lane.work_ps.get(), 7'000'000);
  EXPECT_EQ(f.groups, std::vector<std::string>{"7"});
  EXPECT_TRUE(f.numbered_classes.empty());
  EXPECT_EQ(f.classes.at({.type = NodeType::comp, .name = number_of_name("a", IterationNumbers::without)}), 2U);
  EXPECT_EQ(f.classes.at({.type = NodeType::comm_coll, .op = 0, .bytes = 64, .group = 1}), 1U);
  EXPECT_EQ(f.classes.at({.type = NodeType::comm_send, .bytes = 10, .peer = 1}), 1U);
}

TEST(Features, GroupsAndPeersBecomeRoles) {
  const GroupRanks pairs_of_two = {{"1", {0, 1}}, {"2", {2, 3}}}, renumbered = {{"8", {0, 1}}, {"5", {2, 3}}};
  const SetFeatures a = some_set({"1", "1", "2", "2"}, pairs_of_two),
                    b = some_set({"8", "8", "5", "5"}, renumbered);
  EXPECT_EQ(compare_features(a.all, b.all).classes.total_variation, 0);
  // Rank 3 sends to rank 0, as all others send to the next one.
  EXPECT_EQ(a.all.classes.at({.type = NodeType::comm_send, .bytes = 10, .peer = 1}), 4U);
  EXPECT_EQ(a.all.classes.at({.type = NodeType::comm_recv, .bytes = 10, .peer = 3}), 4U);
  // With other ranks, or all ranks: one of six nodes differs.
  const SetFeatures far = some_set({"1", "2", "1", "2"}, {{"1", {0, 2}}, {"2", {1, 3}}});
  EXPECT_NEAR(compare_features(a.all, far.all).classes.total_variation, 1.0 / 6, 1e-12);
  const SetFeatures all = some_set({"", "", "", ""}, {}),
                    listed = some_set({"9", "9", "9", "9"}, {{"9", {0, 1, 2, 3}}});
  EXPECT_NEAR(compare_features(a.all, all.all).classes.total_variation, 1.0 / 6, 1e-12);
  EXPECT_EQ(compare_features(all.all, listed.all).classes.total_variation, 0);
}

TEST(Features, ASetIsAsItself) {
  const SetFeatures a = some_set({"", "", "", ""}, {});
  const FeatureFidelity f = compare_features(a.all, a.all);
  EXPECT_TRUE(f.same());
  EXPECT_EQ(f.nodes_a, 24U);
  EXPECT_EQ(f.classes.renamed, 0U);
  ASSERT_EQ(f.work.size(), 1U);
  EXPECT_EQ(f.work[0].lane, "compute");
  EXPECT_EQ(f.work[0].a_ps, 28'000'000);
  EXPECT_EQ(f.work[0].change(), 0);
}

TEST(Features, NewNamesAreNoDifference) {
  const RankFeatures a = features_of(some_rank(0, "")), b = features_of(some_rank(0, "", {"1", "2", "1"}));
  const FeatureFidelity f = compare_features(a, b);
  EXPECT_TRUE(f.same());
  EXPECT_EQ(f.classes.renamed, 2U);
  const RankFeatures other = features_of(some_rank(0, "", {"1", "2", "3"}));
  // 2/6 and 1/6 against 1/6 three times.
  EXPECT_NEAR(compare_features(a, other).classes.total_variation, 1.0 / 6, 1e-12);
}

// Names with iteration numbers: unchanged, renamed, or with more iterations.
TEST(Features, IterationsMakeNoClassesOfTheirOwn) {
  const RankFeatures a = features_of(some_rank(0, "", {"a iteration 0", "b iteration 0", "a iteration 1"}));
  EXPECT_FALSE(a.numbered_classes.empty());
  EXPECT_EQ(compare_features(a, features_of(some_rank(0, "", {"x", "y", "z"}))).classes.total_variation, 0);
  EXPECT_EQ(compare_features(a, features_of(some_rank(0, "", {"x", "y", "x"}))).classes.total_variation, 0);
  const RankFeatures later = features_of(some_rank(0, "", {"a iteration 7", "b iteration 8", "a iteration 9"}));
  EXPECT_EQ(compare_features(a, later).classes.total_variation, 0);
  EXPECT_EQ(compare_features(a, later).classes.renamed, 0U);
  Features sum = features_of(some_rank(0, ""));  // without numbers
  sum.add(a);
  EXPECT_EQ(sum.numbered_classes.size(), sum.classes.size() + 1);
}

Trace in_lanes(Name attribute, const std::vector<std::int64_t>& lanes) {
  TraceBuilder b(0);
  std::uint64_t ns = 1000;
  for (const std::int64_t lane : lanes) {
    b.compute("c", ns);
    b.set(attribute, lane);
    ns += 1000;
  }
  return b.finish();
}

TEST(Features, LanesMayHaveOtherNumbers) {
  const RankFeatures a = features_of(in_lanes(attr::tid, {71, 71, 71, 9}));
  const RankFeatures b = features_of(in_lanes(attr::tid, {1, 1, 1, 2}));
  EXPECT_TRUE(compare_features(a, b).same());
  EXPECT_EQ(compare_features(a, b).durations[0].lane, "thread #1");
  const RankFeatures x = features_of(in_lanes(attr::stream, {7, 7, 20, 7}));
  const RankFeatures y = features_of(in_lanes(attr::stream, {7, 7, 1, 7}));
  const FeatureFidelity f = compare_features(x, y);
  EXPECT_TRUE(f.same());
  ASSERT_EQ(f.durations.size(), 2U);
  EXPECT_EQ(f.durations[0].lane, "stream 7");
  EXPECT_EQ(f.durations[1].lane, "stream 20 = 1");
  const FeatureFidelity less = compare_features(x, features_of(in_lanes(attr::stream, {7, 7, 7})));
  ASSERT_EQ(less.durations.size(), 2U);
  EXPECT_EQ(less.durations[1].lane, "stream 20");
  EXPECT_EQ(less.durations[1].distance, 1);
  EXPECT_EQ(less.work[1].b_ps, 0);
  EXPECT_EQ(less.work[1].change(), -1);
}

TEST(Features, ATraceMayBeWrongInAnyWay) {
  TraceBuilder b(0);
  b.add(NodeType::comm_coll, "", {0});           // depends on itself; without type and size
  b.add(NodeType::comm_send, "s", {77, 77, 0});  // dangling; without peer
  b.set(attr::comm_size, -3);
  b.set(attr::comm_dst, std::numeric_limits<std::int64_t>::min());
  b.add(static_cast<NodeType>(99), "odd", {1, 1});
  b.set(attr::duration_nanos, -1);
  b.add(NodeType::comm_recv, "r", {4});
  b.add(NodeType::comp, "c", {3});  // a cycle
  const RankFeatures f = features_of(b.finish());
  EXPECT_EQ(f.nodes, 5U);
  EXPECT_EQ(f.in_degree.count(), 5U);
  EXPECT_TRUE(compare_features(f, f).same());
  const RankFeatures none = features_of(Trace{});
  EXPECT_TRUE(compare_features(none, none).same());
  EXPECT_FALSE(compare_features(none, f).same());
}

}  // namespace
}  // namespace convert
