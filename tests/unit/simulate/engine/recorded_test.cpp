// SPDX-License-Identifier: MIT
#include "simulate/engine/recorded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "common/findings.h"
#include "common/replay_traces.h"
#include "unit/simulate/traces.h"

namespace convert {
namespace {

using namespace test;

std::optional<ReplayResult> play_recorded(const std::vector<Trace>& traces, Diagnostics& diagnostics,
                                          const ReplayOptions& options = {}) {
  RecordedReplay replay(options, diagnostics);
  for (const Trace& t : traces) replay.add(replay.run(t));
  return replay.finish();
}
ReplayResult play_recorded(const std::vector<Trace>& traces, const ReplayOptions& options = {}) {
  Diagnostics diagnostics;
  auto result = play_recorded(traces, diagnostics, options);
  if (!result) throw first_finding(diagnostics);
  return std::move(*result);
}

// A node of any type with a recorded duration.
void node(Trace& t, NodeType type, NodeId id, std::uint64_t us, std::initializer_list<NodeId> parents = {},
          std::initializer_list<NodeId> control = {}) {
  add_node(t, type, id, parents);
  for (const NodeId p : control) t.nodes.add_ctrl_dep(p);
  t.nodes.nodes.back().duration_us = us;
  t.nodes.end_node();
}

constexpr Picoseconds us = ps_per_us;

TEST(Recorded, Chain) {
  auto t = ranks(1);
  comp(t[0], 0, 3);
  node(t[0], NodeType::comm_coll, 1, 4, {0});
  comp(t[0], 2, 5, {1});
  const ReplayResult r = play_recorded(t);
  EXPECT_EQ(r.status, ReplayStatus::complete);
  EXPECT_EQ(r.total_ps, 12 * us);
  EXPECT_EQ(r.npus[0].finish_ps, 12 * us);
  EXPECT_EQ(r.npus[0].compute_ps, 8 * us);
  EXPECT_EQ(r.npus[0].times.communication, 4 * us);
  EXPECT_EQ(r.npus[0].times.overlap, 0);
  EXPECT_EQ(r.npus[0].exposed_communication_ps, 4 * us);
}

// 0 → 1 (10), 2 (3) → 3 (1), and 4 (2) after 2 alone.
TEST(Recorded, Diamond) {
  auto t = ranks(1);
  comp(t[0], 3, 1, {1, 2});  // before its parents
  comp(t[0], 0, 1);
  comp(t[0], 1, 10, {0});
  comp(t[0], 2, 3, {0});
  comp(t[0], 4, 2, {2});
  ReplayOptions options;
  options.timeline = true;
  const ReplayResult r = play_recorded(t, options);
  EXPECT_EQ(r.npus[0].finish_ps, 12 * us);
  EXPECT_EQ(r.npus[0].compute_ps, 17 * us);     // sum over all nodes
  EXPECT_EQ(r.npus[0].times.compute, 12 * us);  // each instant once
  EXPECT_EQ(r.npus[0].times.busy, 12 * us);
  ASSERT_EQ(r.timeline.slices.size(), 5U);
  const auto begin = [&](NodeId id) {
    return std::find_if(r.timeline.slices.begin(), r.timeline.slices.end(),
                        [&](const Slice& s) { return s.node == id; })
        ->begin_ps;
  };
  EXPECT_EQ(begin(0), 0);
  EXPECT_EQ(begin(1), 1 * us);
  EXPECT_EQ(begin(2), 1 * us);
  EXPECT_EQ(begin(3), 11 * us);
  EXPECT_EQ(begin(4), 4 * us);
}

// Communication 2…12 and 30…31, compute 0…5, 10…11 and 10…20: 2…5 and 10…12 are hidden.
TEST(Recorded, ExposedIsWhatNoComputeHides) {
  auto t = ranks(1);
  comp(t[0], 0, 2, {}, true);  // on the CPU: hides nothing
  comp(t[0], 1, 5);
  node(t[0], NodeType::comm_recv, 2, 10, {0});
  comp(t[0], 3, 10, {}, true);
  comp(t[0], 4, 10, {3});
  comp(t[0], 5, 1, {3});
  comp(t[0], 6, 10, {4}, true);
  node(t[0], NodeType::comm_send, 7, 1, {6});
  node(t[0], NodeType::mem_load, 8, 6, {7});
  const ReplayResult r = play_recorded(t);
  const NpuResult& npu = r.npus[0];
  EXPECT_EQ(npu.finish_ps, 37 * us);
  EXPECT_EQ(npu.times.communication, 11 * us);
  EXPECT_EQ(npu.times.overlap, 5 * us);
  EXPECT_EQ(npu.exposed_communication_ps, 6 * us);
  EXPECT_EQ(npu.times.compute, 15 * us);
  EXPECT_EQ(npu.compute_ps, 16 * us);
  EXPECT_EQ(npu.times.cpu, 20 * us);
  EXPECT_EQ(npu.times.memory, 6 * us);
  EXPECT_EQ(npu.times.busy, 37 * us);
}

TEST(Recorded, ControlDependenciesCount) {
  auto t = ranks(1);
  comp(t[0], 0, 7);
  comp(t[0], 1, 2);
  node(t[0], NodeType::comp, 2, 1, {1}, {0, 1});
  EXPECT_EQ(play_recorded(t).npus[0].finish_ps, 8 * us);
}

TEST(Recorded, NanosecondsWinOverMicroseconds) {
  auto t = ranks(1);
  comp(t[0], 0, 7);
  t[0].nodes.add_int(attr::duration_nanos, Kind::uint64_val, 6543);
  t[0].nodes.end_node();
  comp(t[0], 1, 7, {0});
  t[0].nodes.add_int(attr::duration_nanos, Kind::uint64_val, 0);  // recorded as zero, not unknown
  t[0].nodes.end_node();
  EXPECT_EQ(play_recorded(t).npus[0].finish_ps, 6543 * ps_per_ns);
}

TEST(Recorded, WithoutADurationNoTimeAndOneWarning) {
  auto t = ranks(2);
  comp(t[0], 0, 0);
  node(t[0], NodeType::comm_send, 1, 0, {0});
  node(t[0], NodeType::comm_coll, 2, 0, {1});
  node(t[0], NodeType::metadata, 3, 9, {2});  // takes no time in any case
  node(t[1], NodeType::comm_recv, 0, 0);
  t[1].nodes.add_int(attr::duration_nanos, Kind::uint64_val, 0);
  t[1].nodes.end_node();
  node(t[1], NodeType::comm_recv, 1, 0);
  Diagnostics diagnostics;
  const auto r = play_recorded(t, diagnostics);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->total_ps, 0);
  EXPECT_EQ(r->npus[0].finish_ps, 0);
  EXPECT_TRUE(r->npus[0].times.communicates);
  EXPECT_EQ(r->npus[0].nodes_done, 4U);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(diagnostics.all()[0].severity, Severity::warning);
  EXPECT_EQ(diagnostics.all()[0].message, "3 communication nodes have no recorded duration");
}

TEST(Recorded, ACircleStopsItsRankOnly) {
  auto t = ranks(3);
  comp(t[0], 0, 5);
  comp(t[1], 0, 1);
  comp(t[1], 1, 2, {3});
  comp(t[1], 2, 3, {1, 0});
  comp(t[1], 3, 4, {2});
  comp(t[1], 4, 5, {3});
  comp(t[2], 0, 1, {1});
  comp(t[2], 1, 1, {0});
  const ReplayResult r = play_recorded(t);
  EXPECT_EQ(r.status, ReplayStatus::deadlock);
  EXPECT_EQ(r.npus[0].finish_ps, 5 * us);
  EXPECT_FALSE(r.npus[1].finish_ps);
  EXPECT_EQ(r.npus[1].nodes_done, 1U);
  EXPECT_EQ(r.npus[1].compute_ps, 1 * us);
  EXPECT_EQ(r.total_ps, 5 * us);
  EXPECT_EQ(r.waits.waiting_total, 6U);
  ASSERT_EQ(r.waits.waiting.size(), 6U);
  EXPECT_EQ(r.waits.waiting[1].node, (NodeRef{1, 2}));
  EXPECT_EQ(r.waits.waiting[1].on, (NodeRef{1, 1}));                 // 0 has ended
  EXPECT_EQ(r.waits.cycle, (std::vector<NodeRef>{{2, 0}, {2, 1}}));  // the shorter
  EXPECT_EQ(r.waits.hints,
            (std::vector<std::string>{
                "remove the dependency of rank 2 node 0 on node 1: these nodes form a cycle of dependencies"}));
}

TEST(Recorded, DanglingDependencyIsAnError) {
  auto t = ranks(2);
  comp(t[0], 0, 1, {5});
  comp(t[1], 0, 1);
  Diagnostics diagnostics;
  EXPECT_FALSE(play_recorded(t, diagnostics));
  ASSERT_EQ(diagnostics.errors(), 1U);
  EXPECT_EQ(diagnostics.all()[0].message, "node 0: depends on node 5, which does not exist");
}

TEST(Recorded, TooLongIsAnError) {
  auto t = ranks(1);
  comp(t[0], 0, 9'000'000'000'000);
  comp(t[0], 1, 9'000'000'000'000, {0});
  EXPECT_THROW((void)play_recorded(t), Error);
  auto one = ranks(1);
  comp(one[0], 0, 10'000'000'000'000);
  Diagnostics diagnostics;
  EXPECT_FALSE(play_recorded(one, diagnostics));
}

TEST(Recorded, AnyRanks) {
  std::vector<Trace> t = {rank_trace(2), rank_trace(7)};
  comp(t[0], 0, 1);
  comp(t[1], 0, 2);
  ReplayOptions options;
  options.slow = {{7, 1.5}};
  const ReplayResult r = play_recorded(t, options);
  EXPECT_EQ(r.ranks, (std::vector<Rank>{2, 7}));
  EXPECT_EQ(r.npus[0].finish_ps, 1 * us);
  EXPECT_EQ(r.npus[1].finish_ps, 3 * us);
  options.slow = {{3, 2.0}};
  EXPECT_THROW((void)play_recorded(t, options), Error);
}

TEST(Recorded, CriticalPathLeavesOutWhatTakesNoTime) {
  auto t = ranks(2);
  comp(t[0], 0, 20);
  comp(t[1], 0, 6);
  node(t[1], NodeType::comm_coll, 1, 9);
  invalid(t[1], 2, {0, 1});
  comp(t[1], 3, 30, {2}, true);
  comp(t[1], 4, 1, {3});
  comp(t[1], 5, 2, {3});
  ReplayOptions options;
  options.explain = ExplainTarget{.end = true};
  const ReplayResult r = play_recorded(t, options);
  ASSERT_TRUE(r.explanation);
  const Explanation& e = *r.explanation;
  EXPECT_EQ(e.at, 41 * us);
  ASSERT_EQ(e.steps.size(), 3U);
  EXPECT_EQ(e.steps[0].node, (NodeRef{1, 5}));
  EXPECT_EQ(e.steps[0].what, Explanation::What::compute);
  EXPECT_EQ(e.steps[0].then, Explanation::Then::end);
  EXPECT_EQ(e.steps[1].node, (NodeRef{1, 3}));
  EXPECT_EQ(e.steps[1].what, Explanation::What::cpu);
  EXPECT_EQ(e.steps[1].then, Explanation::Then::dependency);
  EXPECT_EQ(e.steps[2].node, (NodeRef{1, 1}));
  EXPECT_EQ(e.steps[2].what, Explanation::What::replayed);
  EXPECT_EQ(e.steps[2].then, Explanation::Then::indirect);
  EXPECT_EQ(e.steps[2].next, (NodeRef{1, 3}));
  EXPECT_EQ(e.steps[2].begin, 0);
  EXPECT_EQ(e.steps[2].time, 9 * us);
}

TEST(Recorded, StartDelaysAreStepsOfTheirOwn) {
  auto t = ranks(1);
  comp(t[0], 0, 20);
  const auto delayed = [&](NodeId id, std::uint64_t time_us, NodeId parent) {
    add_node(t[0], NodeType::comp, id, {parent});
    t[0].nodes.nodes.back().duration_us = time_us;
    t[0].nodes.add_int(attr::start_delay_nanos, Kind::uint64_val, 3000);
    t[0].nodes.end_node();
  };
  delayed(1, 5, 0);
  delayed(2, 0, 1);  // takes no time itself
  comp(t[0], 3, 7, {2});
  ReplayOptions options;
  options.explain = ExplainTarget{.end = true};
  const ReplayResult r = play_recorded(t, options);
  ASSERT_TRUE(r.explanation);
  EXPECT_EQ(r.explanation->at, 38 * us);
  std::string text;
  append_text(*r.explanation, text, 0);
  EXPECT_EQ(text,
            "the replay ends at 38 µs\n"
            "the chain back to time 0: compute 32 µs, delay 6 µs\n"
            "begin   time  node  what                  then\n"
            "31 µs   7 µs  0:3   compute (n3)          the replay ends\n"
            "28 µs   3 µs  0:2   its start delay (n2)  0:3 depends on it\n"
            "23 µs   5 µs  0:1   compute (n1)          0:2 depends on it\n"
            "20 µs   3 µs  0:1   its start delay (n1)  0:1 begins\n"
            " 0 ps  20 µs  0:0   compute (n0)          0:1 depends on it\n");
  options.explain = ExplainTarget{.rank = 0, .node = 1};
  text.clear();
  append_text(*play_recorded(t, options).explanation, text, 0);
  EXPECT_EQ(text,
            "node 1 of rank 0 (n1) starts at 23 µs\n"
            "the chain back to time 0: compute 20 µs, delay 3 µs\n"
            "begin   time  node  what                  then\n"
            "20 µs   3 µs  0:1   its start delay (n1)  0:1 begins\n"
            " 0 ps  20 µs  0:0   compute (n0)          0:1 depends on it\n");
}

// If all nodes have times, the simulator without resources gives the same result.
TEST(Recorded, AgreesWithTheSimulator) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    auto t = ranks(3);
    for (Trace& trace : t) {
      const NodeId n = 1 + random() % 60;
      for (NodeId id = 0; id < n; ++id) {
        constexpr std::array types = {NodeType::comp, NodeType::comp, NodeType::comm_send, NodeType::comm_recv,
                                      NodeType::comm_coll};
        const NodeType type = types.at(random() % types.size());
        add_node(trace, type, id, {});
        for (NodeId p = 0; p < id; ++p) {
          if (random() % 12 == 0) trace.nodes.add_data_dep(p);
        }
        for (NodeId p = 0; p < id; ++p) {
          if (random() % 20 == 0) trace.nodes.add_ctrl_dep(p);
        }
        trace.nodes.nodes.back().duration_us = 1 + random() % 20;
        trace.nodes.add_bool(attr::is_cpu_op, random() % 3 == 0);
        trace.nodes.end_node();
      }
    }
    const ReplayResult mine = play_recorded(t);
    ReplayOptions options;
    options.recorded = Recorded::communication;
    Diagnostics diagnostics;
    const auto simulated = test::replay_traces(t, net("ideal"), options, diagnostics);
    ASSERT_TRUE(simulated);
    EXPECT_EQ(mine.total_ps, simulated->total_ps);
    for (std::size_t i = 0; i < t.size(); ++i) {
      const NpuResult& a = mine.npus[i];
      const NpuResult& b = simulated->npus[i];
      EXPECT_EQ(a.finish_ps, b.finish_ps);
      EXPECT_EQ(a.compute_ps, b.compute_ps);
      EXPECT_EQ(a.times.compute, b.times.compute);
      EXPECT_EQ(a.times.communication, b.times.communication);
      EXPECT_EQ(a.times.overlap, b.times.overlap);
      EXPECT_EQ(a.times.cpu, b.times.cpu);
      EXPECT_EQ(a.times.busy, b.times.busy);
    }
  }
}

}  // namespace
}  // namespace convert
