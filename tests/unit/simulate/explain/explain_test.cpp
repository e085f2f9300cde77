// SPDX-License-Identifier: MIT
#include "simulate/explain/explain.h"

#include <gtest/gtest.h>

#include <map>

#include "common/replay_traces.h"
#include "sanitized.h"
#include "unit/simulate/random_cases.h"
#include "unit/simulate/waits/waits.h"

namespace convert {
namespace {

using namespace test;
using Then = Explanation::Then;
using What = Explanation::What;

struct How {
  NetworkModel model = NetworkModel::unaware;
  IssueMode issue = workload;
  MemoryConfig memory{};
  bool rendezvous = false;
  bool astra = false;
  bool timeline = false;
};

ReplayResult run_how(const std::vector<Trace>& traces, const std::string& network,
                     const std::optional<ExplainTarget>& target, const How& how) {
  ReplayOptions options;
  options.network.model = how.model;
  options.issue = how.issue;
  options.astra = how.astra;
  options.timeline = how.timeline;
  options.explain = target;
  auto system = std::make_shared<ReplaySystem>();
  system->config = default_system(net(network));
  system->memory = how.memory;
  system->rendezvous = how.rendezvous;
  options.system = system;
  Diagnostics diagnostics;
  auto result = test::replay_traces(traces, net(network), options, diagnostics);
  if (!result) throw Error("no result");
  return std::move(*result);
}
Explanation why(const std::vector<Trace>& traces, const std::string& network, const ExplainTarget& target,
                const How& how = {}) {
  const ReplayResult result = run_how(traces, network, target, how);
  if (!result.explanation) throw Error("no explanation");
  return *result.explanation;
}

// A step as "BEGIN+TIME RANK:NODE WHAT → THEN RANK:NODE through RANK:NODE", in ns: the action of the node, how its
// end led to the beginning of the next node, and the node in between if there is one.
std::string line(const Explanation::Step& s) {
  const auto place = [](const NodeRef& n) { return std::to_string(n.rank) + ":" + std::to_string(n.node); };
  std::string text = std::to_string(s.begin / ps_per_ns) + "+" + std::to_string(s.time / ps_per_ns) + " " +
                     place(s.node) + " " + std::string(name(s.what)) + " → " + std::string(name(s.then));
  if (s.then != Then::end) text += " " + place(s.next);
  return s.through ? text + " through " + place(*s.through) : text;
}
Lines lines(const Explanation& e) {
  Lines all;
  for (const auto& s : e.steps) all.push_back(line(s));
  return all;
}

TEST(Explain, DependenciesAndTheSlot) {
  auto t = ranks(2);
  comp(t[0], 0, 5);
  comp(t[0], 1, 7);
  comp(t[0], 2, 3, {1}, true);
  const Explanation e = why(t, "ring:2,bw=1GB/s", {.rank = 0, .node = 2});
  EXPECT_EQ(e.at, 12'000 * ps_per_ns);
  EXPECT_EQ(e.name, "n2");
  EXPECT_EQ(lines(e), (Lines{"5000+7000 0:1 compute → dependency 0:2", "0+5000 0:0 compute → resource 0:1"}));
  EXPECT_EQ(e.steps[1].slot, Slot::compute);
  EXPECT_EQ(e.steps[1].name, "n0");
  EXPECT_EQ(lines(why(t, "ring:2,bw=1GB/s", {.end = true})).front(), "12000+3000 0:2 cpu → end");
  EXPECT_TRUE(why(t, "ring:2,bw=1GB/s", {.rank = 0, .node = 0}).steps.empty());
}

TEST(Explain, MessagesThroughTheirReceive) {
  auto t = ranks(2);
  comp(t[0], 0, 2);
  send(t[0], 1, 1, 100, 0, {0});
  recv(t[1], 0, 0, 100);
  comp(t[1], 1, 1, {0});
  const Explanation e = why(t, "ring:2,bw=1GB/s,lat=10ns", {.rank = 1, .node = 1});
  EXPECT_EQ(lines(e),
            (Lines{"2000+110 0:1 message → dependency 1:1 through 1:0", "0+2000 0:0 compute → dependency 0:1"}));
  EXPECT_EQ(e.steps[0].to, 1U);
  EXPECT_EQ(e.steps[0].bytes, 100);
}

TEST(Explain, ReceiveThatCameAfterItsMessage) {
  auto t = ranks(2);
  send(t[0], 0, 1, 100);
  comp(t[1], 0, 2);
  recv(t[1], 1, 0, 100, 0, {0});
  comp(t[1], 2, 1, {1});
  EXPECT_EQ(lines(why(t, "ring:2,bw=1GB/s,lat=10ns", {.rank = 1, .node = 2})),
            (Lines{"2000+0 1:1 receive → dependency 1:2", "0+2000 1:0 compute → dependency 1:1"}));
}

TEST(Explain, QueueOfAWire) {
  auto t = ranks(3);
  send(t[0], 0, 1, 1000, 1);
  send(t[0], 1, 1, 500, 2);
  recv(t[1], 0, 0, 1000, 1);
  recv(t[1], 1, 0, 500, 2);
  comp(t[1], 2, 1, {1});
  for (const NetworkModel model : {NetworkModel::aware, NetworkModel::wires}) {
    const Explanation e = why(t, "ring:3,bw=1GB/s,lat=10ns", {.rank = 1, .node = 2}, {.model = model});
    EXPECT_EQ(lines(e),
              (Lines{"1000+510 0:1 message → dependency 1:2 through 1:1", "0+1000 0:0 message → link 0:1"}));
    EXPECT_EQ(e.steps[0].wire, "npu0>npu1");
    EXPECT_EQ(e.steps[0].waited, 1000 * ps_per_ns);
    EXPECT_EQ(e.steps[1].waited, 0);
  }
}

TEST(Explain, StragglerOfACollective) {
  auto t = ranks(4);
  for (Rank r = 0; r < 4; ++r) {
    comp(t[r], 0, r == 2 ? 50 : 1);
    all_reduce(t[r], 1, 4000, {0});
    comp(t[r], 2, 1, {1});
  }
  const Explanation e = why(t, "ring:4,bw=1GB/s,lat=10ns", {.rank = 0, .node = 2});
  ASSERT_EQ(e.steps.size(), 2U);
  EXPECT_EQ(line(e.steps[1]), "0+50000 2:0 compute → dependency 2:1");
  EXPECT_EQ(e.steps[0].what, What::collective);
  EXPECT_EQ(e.steps[0].begin, 50'000 * ps_per_ns);
  EXPECT_EQ(e.steps[0].op, Collective::all_reduce);
  EXPECT_GT(e.steps[0].messages, 0U);
  EXPECT_EQ(e.steps[0].then, Then::dependency);
  EXPECT_EQ(e.steps[0].next, (NodeRef{.rank = 0, .node = 2}));
}

TEST(Explain, NodesWithoutDurationInBetween) {
  auto t = ranks(2);
  comp(t[0], 0, 5);
  invalid(t[0], 1, {0});
  comp(t[0], 2, 3, {1}, true);
  EXPECT_EQ(lines(why(t, "ring:2,bw=1GB/s", {.rank = 0, .node = 2})), (Lines{"0+5000 0:0 compute → indirect 0:2"}));
}

TEST(Explain, WhatAnInvalidNodeFreesIsOfferedLater) {
  auto t = ranks(2);
  comp(t[0], 0, 5);
  comp(t[0], 1, 2, {}, true);
  invalid(t[0], 2, {1});
  comp(t[0], 3, 1, {2}, true);
  const Explanation e = why(t, "ring:2,bw=1GB/s", {.rank = 0, .node = 3}, {.astra = true});
  EXPECT_EQ(lines(e), (Lines{"0+5000 0:0 compute → offer 0:3"}));
  std::string text;
  append_text(e, text, 0);
  EXPECT_NE(text.find("the NPU tries its ready nodes again, so 0:3 starts"), std::string::npos) << text;
}

TEST(Explain, DependencyBeforeTheSlot) {
  auto t = ranks(2);
  send(t[0], 0, 1, 100);
  invalid(t[0], 1, {0});
  send(t[0], 2, 1, 100, 1, {1});
  recv(t[1], 0, 0, 100);
  recv(t[1], 1, 0, 100, 1);
  for (const bool astra : {true, false}) {
    EXPECT_EQ(lines(why(t, "ring:2,bw=1GB/s", {.rank = 0, .node = 2}, {.astra = astra})),
              (Lines{"0+100 0:0 message → indirect 0:2"}));
  }
}

// Nodes of rank 0 that compute, send or do nothing; rank 1 receives the messages.
struct RandomRank {
  std::vector<Trace> traces = ranks(2);
  std::vector<std::vector<NodeId>> parents{};
  std::vector<OpType> types{};
  std::vector<Slot> slots{};

  explicit RandomRank(std::uint64_t seed) {
    Random random(seed);
    for (NodeId id = 0; id < 14; ++id) {
      std::vector<NodeId> p;
      for (NodeId q = id; q-- > 0;) {
        if (p.size() < 2 && random.once_in(4)) p.push_back(q);
      }
      const std::int64_t kind = random.in(0, 4);
      const NodeType type = kind < 2 ? NodeType::comp : kind == 2 ? NodeType::comm_send : NodeType::invalid;
      types.push_back(kind < 2 ? OpType::timed : kind == 2 ? OpType::send : OpType::invalid);
      slots.push_back(kind == 0 ? Slot::cpu : kind == 1 ? Slot::compute : Slot::communication);
      Trace& t = traces[0];
      t.nodes.add_node(id, type, "n");
      for (const NodeId q : p) t.nodes.add_data_dep(q);
      if (kind < 2) {
        t.nodes.nodes.back().duration_us = static_cast<std::uint64_t>(random.in(1, 6));
        t.nodes.add_bool(attr::is_cpu_op, kind == 0);
      } else if (kind == 2) {
        const std::int64_t bytes = random.in(1, 5) * 1000;
        t.nodes.add_int(attr::comm_dst, Kind::int32_val, 1);
        t.nodes.add_int(attr::comm_size, Kind::int64_val, bytes);
        t.nodes.add_int(attr::comm_tag, Kind::int32_val, static_cast<std::int64_t>(id));
        recv(traces[1], id, 0, bytes, static_cast<std::int64_t>(id));
      }
      t.nodes.end_node();
      parents.push_back(std::move(p));
    }
  }
  [[nodiscard]] bool depends(NodeId node, NodeId on, bool directly) const {
    return std::any_of(parents[node].begin(), parents[node].end(), [&](NodeId p) {
      return p == on || (!directly && types[p] == OpType::invalid && depends(p, on, false));
    });
  }
  [[nodiscard]] bool after_invalid(NodeId node) const {
    return std::any_of(parents[node].begin(), parents[node].end(),
                       [&](NodeId p) { return types[p] == OpType::invalid; });
  }
};

// The reported reason is true: the dependency exists, the resource was in use.
TEST(Explain, ReasonsAreTrue) {
  std::map<Then, int> seen;
  for (std::uint64_t seed = 1; seed <= test::rounds(600U); ++seed) {
    const RandomRank c(seed);
    const How how{.issue = seed % 3 == 0 ? IssueMode::algorithm : workload, .astra = seed % 2 == 0};
    How timed = how;
    timed.timeline = true;
    const ReplayResult all = run_how(c.traces, "ring:2,bw=1GB/s,lat=10ns", std::nullopt, timed);
    ASSERT_EQ(all.status, ReplayStatus::complete);
    std::map<NodeId, Picoseconds> ends;
    for (const Slice& s : all.timeline.slices) {
      if (s.rank == 0) ends[s.node] = s.end_ps;
    }
    for (NodeId node = 0; node < c.types.size(); ++node) {
      const Explanation e = why(c.traces, "ring:2,bw=1GB/s,lat=10ns", {.rank = 0, .node = node}, how);
      if (e.steps.empty()) continue;
      const Explanation::Step& s = e.steps.front();
      SCOPED_TRACE("seed " + std::to_string(seed) + ", node " + std::to_string(node) + ": " + line(s));
      const NodeId cause = s.through ? s.through->node : s.node.node;
      EXPECT_EQ(ends.at(cause), e.at);
      EXPECT_EQ(c.depends(node, cause, true), s.then == Then::dependency);
      EXPECT_EQ(c.depends(node, cause, false), s.then == Then::dependency || s.then == Then::indirect);
      if (s.then == Then::resource) {
        EXPECT_EQ(how.issue, workload);
        EXPECT_EQ(c.slots[node], c.slots[cause]);
        EXPECT_EQ(c.slots[node], s.slot);
        EXPECT_NE(c.types[cause], OpType::invalid);
        EXPECT_TRUE(how.astra || s.slot != Slot::communication);
      } else if (s.then == Then::offer) {
        EXPECT_TRUE(c.after_invalid(node));
        EXPECT_EQ(how.issue, workload);
      }
      ++seen[s.then];
      if (HasFailure()) return;
    }
  }
  EXPECT_EQ(seen.size(), 4U);
}

TEST(Explain, PoolOfMemoryServesOneAtATime) {
  auto t = ranks(2);
  for (Rank r = 0; r < 2; ++r) {
    t[r].nodes.add_node(0, NodeType::mem_load, "m");
    t[r].nodes.add_int(attr::tensor_size, Kind::uint64_val, 1000);
    t[r].nodes.end_node();
    comp(t[r], 1, 1, {0});
  }
  const How how{.memory = {.source = "pool", .kind = MemoryKind::pool, .latency_ns = 5, .bytes_per_ns = 1}};
  EXPECT_EQ(lines(why(t, "ring:2,bw=1GB/s", {.rank = 1, .node = 1}, how)),
            (Lines{"1005+1005 1:0 memory → dependency 1:1", "0+1005 0:0 memory → memory 1:0"}));
}

TEST(Explain, RendezvousWaitsForTheReceiver) {
  auto t = ranks(2);
  send(t[0], 0, 1, 100);
  comp(t[1], 0, 2);
  recv(t[1], 1, 0, 100, 0, {0});
  comp(t[1], 2, 1, {1});
  EXPECT_EQ(lines(why(t, "ring:2,bw=1GB/s,lat=10ns", {.rank = 1, .node = 2}, {.rendezvous = true})),
            (Lines{"10202+110 0:0 message → dependency 1:2 through 1:1", "2000+8202 1:1 request → go_on 0:0",
                   "0+2000 1:0 compute → dependency 1:1"}));
}

TEST(Explain, RendezvousWhereTheReceiverHasAsked) {
  auto t = ranks(2);
  comp(t[0], 0, 20);
  send(t[0], 1, 1, 100, 0, {0});
  recv(t[1], 0, 0, 100);
  const Explanation e = why(t, "ring:2,bw=1GB/s,lat=10ns", {.end = true}, {.rendezvous = true});
  EXPECT_EQ(lines(e), (Lines{"20000+110 0:1 message → end", "20000+0 0:1 requested → go_on 0:1",
                             "0+20000 0:0 compute → dependency 0:1"}));
  std::string text;
  append_text(e, text, 0);
  EXPECT_NE(text.find("send: the request of its receiver had arrived"), std::string::npos) << text;
}

TEST(Explain, WhatIsNotThere) {
  auto t = ranks(2);
  recv(t[1], 5, 0, 100);
  comp(t[1], 6, 1, {5});
  EXPECT_THROW((void)why(t, "ring:2,bw=1GB/s", {.rank = 2, .node = 0}), Error);
  EXPECT_THROW((void)why(t, "ring:2,bw=1GB/s", {.rank = 1, .node = 0}), Error);
  ReplayOptions options;
  options.explain = ExplainTarget{.rank = 1, .node = 6};
  Diagnostics diagnostics;
  const auto result = test::replay_traces(t, net("ring:2,bw=1GB/s"), options, diagnostics);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, ReplayStatus::deadlock);
  EXPECT_FALSE(result->explanation);
}

// For every node of random cases, the chain has no gap, ends where the node begins in the timeline, and goes back
// to time 0.
TEST(Explain, ChainsHaveNoGaps) {
  std::map<Then, int> seen;
  for (std::uint64_t seed = 1; seed <= test::rounds(150U); ++seed) {
    RandomCase c = CaseMaker(seed, {}).make();
    if (c.items.empty()) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(c));
    c.options.timeline = true;
    const ReplayResult r = run(c);
    c.options.timeline = false;
    Random random(seed);
    for (int i = 0; i < 8; ++i) {
      const auto at =
          static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(r.timeline.slices.size()) - 1));
      const Slice& s = r.timeline.slices[at];
      c.options.explain = ExplainTarget{.end = i == 0, .rank = s.rank, .node = s.node};
      const ReplayResult explained = run(c);
      ASSERT_TRUE(explained.explanation);
      const Explanation& e = *explained.explanation;
      EXPECT_EQ(e.at, i == 0 ? r.total_ps : s.begin_ps);
      Picoseconds end = e.at;
      for (const auto& step : e.steps) {
        EXPECT_EQ(step.begin + step.time, end);
        EXPECT_GE(step.time, step.message_time);
        end = step.begin;
        ++seen[step.then];
      }
      EXPECT_EQ(end, 0);
      if (HasFailure()) return;
    }
  }
  for (const Then t : {Then::dependency, Then::resource, Then::wire, Then::go_on, Then::end})
    EXPECT_GT(seen[t], 0) << name(t);
}

}  // namespace
}  // namespace convert
