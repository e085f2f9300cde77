// SPDX-License-Identifier: MIT
// Results from representatives, with closed phases or without, equal a replay of every rank.
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "sanitized.h"
#include "simulate/symmetry/symmetry.h"
#include "unit/simulate/closed/closed_cases.h"

namespace convert::test {
namespace {

TEST(ClosedGraphs, GiveWhatAllRanksGive) {
  int closed = 0;
  int class_rings = 0;
  const auto rounds = test::rounds<std::uint64_t>(600);
  for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
    ClosedCase c = ClosedCaseMaker(seed).make();
    // Their order on a ring determines which end of a link is reported as exceeded.
    if (c.has_rings()) c.options.network.watch_ports = false;
    ClosedReplay replay(c);
    ASSERT_FALSE(replay.is_refused()) << "seed " << seed << ": " << replay.why();
    const ClosedOutcome with = replay.run(true, true);
    const ClosedOutcome by_message = replay.run(true, false);
    if (with.result.error_bound_ps != 0) {
      ASSERT_EQ(with.text, by_message.text) << "seed " << seed;
    } else {
      const ClosedOutcome every = replay.run(false, false);
      ASSERT_EQ(with.text, every.text) << "seed " << seed;
      ASSERT_EQ(by_message.text, every.text) << "seed " << seed;
    }
    if (!with.result.equivalence) continue;
    closed += with.result.closed_phases != 0 ? 1 : 0;
    class_rings += with.result.equivalence->has_class_rings() ? 1 : 0;
  }
  std::cout << closed << " of " << rounds << " with closed phases, " << class_rings << " with class rings\n";
  EXPECT_GE(closed, static_cast<int>(rounds / 8));
  EXPECT_GE(class_rings, static_cast<int>(rounds / 100));
}

// One of two classes of NPUs runs a long ring in addition to the short one. Passes of both rings end at one time,
// in one entry that the long ring has pushed. So the short ring of that class precedes the short ring of the other
// class from then on, and its message is first on the link that both reach.
TEST(ClosedGraphs, PhasesThatShareAnEntry) {
  ClosedCase c;
  for (const std::int64_t npus : {16, 4})
    c.dims.push_back({.topology = Topology::switched, .npus = npus, .bytes_per_ns = 1, .latency_ns = 0});
  SystemConfig& s = c.system.config;
  s.source = "system";
  s.endpoint_delay_given = true;
  s.endpoint_delay_ns = 1;
  s.dataset_splits = 1;
  s.optimization = CollectiveOptimization::baseline;
  for (CollectiveChoice& choice : s.collectives) choice.per_dim.resize(2);
  std::int64_t id = 0;
  for (const Rank stride : {1U, 16U}) {
    std::vector<std::vector<Rank>>& groups = c.partitions.emplace_back();
    for (Rank first = 0; first < 64; ++first) {
      if (first / stride % 4 != 0) continue;
      groups.push_back({first, first + stride, first + 2 * stride, first + 3 * stride});
      c.system.groups.push_back({.id = ++id, .ranks = groups.back()});
    }
  }
  const auto comp = [](std::int64_t us, std::int64_t late, std::vector<NodeId> parents = {}) {
    return ClosedCase::Node{.value = us, .late = late, .apart = 4, .parents = std::move(parents)};
  };
  const auto message = [](NodeType type, Rank shift, std::vector<NodeId> parents = {}) {
    return ClosedCase::Node{.type = type, .value = 40, .shift = shift, .parents = std::move(parents)};
  };
  c.nodes = {
      comp(1, 0),
      comp(20, -20),
      {.type = NodeType::comm_coll, .value = 550, .op = Collective::all_gather, .partition = 2, .parents = {1}},
      {.type = NodeType::comm_coll, .value = 800, .partition = 1, .parents = {0}},
      comp(1, 8),
      comp(9, -8),
      message(NodeType::comm_send, 12, {3, 4}),
      message(NodeType::comm_send, 8, {3, 5}),
      message(NodeType::comm_recv, 12),
      message(NodeType::comm_recv, 8),
      comp(30, 0, {8})};
  c.options.issue = IssueMode::unlimited;
  for (const NetworkModel model : {NetworkModel::aware, NetworkModel::wires}) {
    c.options.network.model = model;
    if (model == NetworkModel::wires) c.options.network.forwarding = Forwarding::store;
    ClosedReplay replay(c);
    ASSERT_FALSE(replay.is_refused()) << replay.why();
    const ClosedOutcome with = replay.run(true, true);
    EXPECT_NE(with.result.equivalence, nullptr);
    EXPECT_EQ(with.text, replay.run(false, false).text) << name(model);
  }
}

// Chunks with their own order of dimensions have priorities: a message that arrives when a link becomes free may be
// sent before waiting ones, or not.
TEST(ClosedGraphs, MessagesWithPriorities) {
  ClosedCase c;
  for (const std::int64_t pace : {2, 1})
    c.dims.push_back({.topology = Topology::switched,
                      .npus = 8,
                      .bytes_per_ns = static_cast<double>(pace),
                      .latency_ns = pace == 2 ? 0.0 : 64.0});
  SystemConfig& s = c.system.config;
  s.source = "system";
  s.endpoint_delay_given = true;
  s.endpoint_delay_ns = 64;
  s.dataset_splits = 16;
  s.active_chunks_per_dimension = 2;
  s.optimization = CollectiveOptimization::baseline;
  for (CollectiveChoice& choice : s.collectives) choice.per_dim.resize(2);
  c.system.queues_per_dim = 2;
  c.system.balanced = true;
  std::vector<std::vector<Rank>>& pairs = c.partitions.emplace_back();
  for (Rank r = 0; r < 32; ++r) {
    pairs.push_back({r, r + 32});
    c.system.groups.push_back({.id = r + 1, .ranks = pairs.back()});
  }
  c.nodes = {{.type = NodeType::comm_coll, .value = 65'536, .op = Collective::reduce_scatter},
             {.type = NodeType::comm_coll, .value = 4096, .op = Collective::all_to_all, .partition = 1}};
  c.options.issue = IssueMode::workload;
  c.options.network.model = NetworkModel::wires;
  ClosedReplay replay(c);
  ASSERT_FALSE(replay.is_refused()) << replay.why();
  const std::string every = replay.run(false, false).text;
  EXPECT_EQ(replay.run(true, false).text, every);
  EXPECT_EQ(replay.run(true, true).text, every);
}

}  // namespace
}  // namespace convert::test
