// SPDX-License-Identifier: MIT
// All-to-alls whose shards differ in size from rank to rank.
#include <gtest/gtest.h>

#include <numeric>

#include "common/findings.h"
#include "common/replay_traces.h"
#include "simulate/system/default_system.h"
#include "unit/simulate/traces.h"

namespace convert {
namespace {

using namespace convert::test;
using Parts = std::vector<std::int64_t>;

void all_to_all(Trace& t, NodeId id, const Parts& sends, const Parts& receives,
                std::initializer_list<NodeId> parents = {}, const std::string& group = {}) {
  coll(t, id, Collective::all_to_all, std::accumulate(sends.begin(), sends.end(), std::int64_t{0}), parents, group);
  t.nodes.add_ints(attr::send_splits, Kind::int64_list, sends);
  t.nodes.add_ints(attr::recv_splits, Kind::int64_list, receives);
  t.nodes.end_node();
}

struct UnevenOutcome {
  std::optional<ReplayResult> result{};
  std::vector<std::string> findings{};
};

UnevenOutcome play_uneven(const std::vector<Trace>& traces, const std::string& network, bool symmetry = true,
                          const std::vector<CommGroup>& groups = {}, const std::string& custom = {}) {
  ReplayOptions options;
  options.issue = IssueMode::workload;
  options.network.model = NetworkModel::wires;
  options.symmetry = symmetry;
  auto system = std::make_shared<ReplaySystem>();
  system->config = default_system(net(network));
  system->groups = groups;
  if (!custom.empty()) system->rules.push_back({.choice = {.custom = custom}});
  options.system = std::move(system);
  Diagnostics diagnostics;
  UnevenOutcome out{.result = test::replay_traces(traces, net(network), options, diagnostics)};
  out.findings = finding_lines(diagnostics);
  return out;
}

const std::string pair_of_npus = "fully_connected:2,bw=1GB/s,lat=10ns";

TEST(Uneven, EachPartTakesItsBytes) {
  auto traces = ranks(2);
  all_to_all(traces[0], 0, {1000, 2000}, {1000, 500});
  all_to_all(traces[1], 0, {500, 700}, {2000, 700});
  const UnevenOutcome o = play_uneven(traces, pair_of_npus);
  ASSERT_TRUE(o.result) << o.findings.at(0);
  EXPECT_EQ(o.result->status, ReplayStatus::complete);
  EXPECT_EQ(o.result->total_ps, 2010 * ps_per_ns);
  EXPECT_EQ(o.result->npus[0].bytes_sent, 2000);
  EXPECT_EQ(o.result->npus[1].bytes_sent, 500);
  ASSERT_EQ(o.result->collectives.size(), 1U);
  const CollectiveKind& kind = o.result->kinds[o.result->collectives[0].plan];
  EXPECT_EQ(kind.algorithm, "direct");
  EXPECT_EQ(kind.size_bytes, 2500);  // twice the mean of the bytes that an NPU sends
}

TEST(Uneven, OneOfThemMayHaveEqualParts) {
  auto traces = ranks(3);
  all_to_all(traces[0], 0, {10, 100, 300}, {10, 100, 5});
  coll(traces[1], 0, Collective::all_to_all, 300);
  all_to_all(traces[2], 0, {5, 100, 7}, {300, 100, 7});
  const UnevenOutcome o = play_uneven(traces, "fully_connected:3,bw=1GB/s,lat=10ns");
  ASSERT_TRUE(o.result) << o.findings.at(0);
  EXPECT_EQ(o.result->status, ReplayStatus::complete);
  EXPECT_EQ(finish_ns(*o.result, 0), 310);  // its message to rank 2 is in flight until then
  EXPECT_EQ(finish_ns(*o.result, 1), 110);
  EXPECT_EQ(finish_ns(*o.result, 2), 310);
}

TEST(Uneven, ThoseOfOneGroupMeetInOrder) {
  auto traces = ranks(4);
  const std::vector<CommGroup> groups = {{.id = 1, .ranks = {2, 0}}};
  for (const Rank r : {0U, 2U}) {
    coll(traces[r], 7, Collective::all_to_all, 80, {}, "1");
    traces[r].nodes.end_node();
  }
  all_to_all(traces[0], 8, {100, 10}, {100, 30}, {7}, "1");
  all_to_all(traces[2], 8, {30, 100}, {10, 100}, {7}, "1");
  all_to_all(traces[0], 9, {1000, 10}, {500, 10}, {8}, "1");
  all_to_all(traces[2], 9, {10, 500}, {10, 1000}, {8}, "1");
  for (const Rank r : {1U, 3U}) comp(traces[r], 0, 0);
  // Rank 2 is the first member: rank 0's first message goes to rank 2.
  const UnevenOutcome o = play_uneven(traces, "fully_connected:4,bw=1GB/s,lat=10ns", true, groups);
  ASSERT_TRUE(o.result) << o.findings.at(0);
  EXPECT_EQ(o.result->status, ReplayStatus::complete);
  EXPECT_EQ(o.result->npus[0].bytes_sent, 40 + 100 + 1000);
  EXPECT_EQ(o.result->npus[2].bytes_sent, 40 + 100 + 500);
  EXPECT_EQ(finish_ns(*o.result, 0), 50 + 110 + 1010);
}

TEST(Uneven, DependenciesSayTheOrderAndThenIds) {
  auto traces = ranks(2);
  all_to_all(traces[0], 0, {1, 100}, {1, 300}, {1});
  all_to_all(traces[0], 1, {1, 1000}, {1, 3000});
  all_to_all(traces[1], 0, {3000, 1}, {1000, 1});
  all_to_all(traces[1], 1, {300, 1}, {100, 1}, {0});
  const UnevenOutcome o = play_uneven(traces, pair_of_npus);
  ASSERT_TRUE(o.result) << o.findings.at(0);
  EXPECT_EQ(o.result->status, ReplayStatus::complete);
  EXPECT_EQ(o.result->total_ps, (3010 + 310) * ps_per_ns);
}

TEST(Uneven, EqualPartsCountWhereTheSizeSaysAnother) {
  auto traces = ranks(2);
  for (Trace& t : traces) {
    coll(t, 0, Collective::all_to_all, 100);
    t.nodes.add_ints(attr::send_splits, Kind::int64_list, Parts{1000, 1000});
    t.nodes.add_ints(attr::recv_splits, Kind::int64_list, Parts{1000, 1000});
    t.nodes.end_node();
  }
  const UnevenOutcome o = play_uneven(traces, pair_of_npus);
  ASSERT_TRUE(o.result) << o.findings.at(0);
  EXPECT_EQ(o.result->total_ps, 1010 * ps_per_ns);
}

TEST(Uneven, SymmetryMakesNoDifference) {
  for (const bool rotates : {true, false}) {
    auto traces = ranks(8);
    const auto part = [&](Rank from, Rank to) {
      return std::int64_t{100} * (1 + (to + 8 - from) % 8) + (rotates ? 0 : std::int64_t{from} * to);
    };
    for (Rank r = 0; r < 8; ++r) {
      Parts sends;
      Parts receives;
      for (Rank other = 0; other < 8; ++other) {
        sends.push_back(part(r, other));
        receives.push_back(part(other, r));
      }
      all_to_all(traces[r], 0, sends, receives);
    }
    const UnevenOutcome with = play_uneven(traces, "ring:8,bw=1GB/s,lat=10ns", true);
    const UnevenOutcome without = play_uneven(traces, "ring:8,bw=1GB/s,lat=10ns", false);
    ASSERT_TRUE(with.result && without.result);
    EXPECT_EQ(with.result->total_ps, without.result->total_ps);
    for (std::size_t r = 0; r < 8; ++r) EXPECT_EQ(finish_ns(*with.result, r), finish_ns(*without.result, r));
    EXPECT_EQ(with.result->status, ReplayStatus::complete);
  }
}

TEST(Uneven, WhatDoesNotFitIsAnError) {
  const auto findings = [](const Parts& sends, const Parts& receives, const std::string& custom = {}) {
    auto traces = ranks(2);
    all_to_all(traces[0], 3, {1000, 2000}, {1000, 500});
    all_to_all(traces[1], 4, sends, receives);
    const UnevenOutcome o = play_uneven(traces, pair_of_npus, true, {}, custom);
    EXPECT_FALSE(o.result);
    return o.findings;
  };
  EXPECT_EQ(
      findings({500, 700}, {1999, 700}),
      (std::vector<std::string>{"t.1.et: error: node 4: it expects 1999 bytes (recv_splits) from rank 0, which "
                                "sends it 2000 (node 3) [collectives]"}));
  EXPECT_EQ(findings({500, 700, 1}, {2000, 700}),
            (std::vector<std::string>{
                "t.1.et: error: node 4: send_splits are for 3 ranks, but its group has 2 [collectives]"}));
  EXPECT_EQ(findings({500, -1}, {2000, 700}),
            (std::vector<std::string>{"t.1.et: error: node 4: send_splits are not valid sizes [attributes]"}));
}

TEST(Uneven, ARankWithoutTheCallIsWaitedFor) {
  auto traces = ranks(2);
  all_to_all(traces[0], 0, {1000, 2000}, {1000, 500});
  comp(traces[1], 0, 1);
  const UnevenOutcome o = play_uneven(traces, pair_of_npus);
  ASSERT_TRUE(o.result) << o.findings.at(0);
  EXPECT_EQ(o.result->status, ReplayStatus::deadlock);
}

}  // namespace
}  // namespace convert
