// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyze/recorded/run.h"

namespace convert {
namespace {

constexpr std::string_view unexplained = "unexplained";

struct Op {
  NodeId id = 0;
  NodeType type = NodeType::comp;
  const char* name = "x";
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  std::vector<NodeId> deps{};
  std::int64_t peer = -1;
  bool on_cpu = false;
};

Trace trace_of(Rank rank, const std::vector<Op>& ops) {
  Trace t;
  t.rank = rank;
  for (const Op& op : ops) {
    t.nodes.add_node(op.id, op.type, op.name);
    for (const NodeId dep : op.deps) t.nodes.add_data_dep(dep);
    if (op.begin_ns >= 0) t.nodes.add_int(attr::start_nanos, Kind::uint64_val, op.begin_ns);
    if (op.duration_ns >= 0) t.nodes.add_int(attr::duration_nanos, Kind::uint64_val, op.duration_ns);
    if (op.on_cpu) t.nodes.add_bool(attr::is_cpu_op, true);
    if (op.type == NodeType::comm_send || op.type == NodeType::comm_recv) {
      t.nodes.add_int(op.type == NodeType::comm_send ? attr::comm_dst : attr::comm_src, Kind::int32_val, op.peer);
      t.nodes.add_int(attr::comm_tag, Kind::int32_val, 0);
      t.nodes.add_int(attr::comm_size, Kind::int64_val, 64);
    }
    if (op.type == NodeType::comm_coll) {
      t.nodes.add_int(attr::comm_type, Kind::int64_val, 2);
      t.nodes.add_int(attr::comm_size, Kind::int64_val, 1000);
    }
    t.nodes.end_node();
  }
  return t;
}

Run run_of(const std::vector<Trace>& traces, std::size_t warnings = 0) {
  Diagnostics diagnostics;
  Run run = recorded_run(traces, "set", diagnostics);
  EXPECT_EQ(diagnostics.warnings(), warnings);
  Picoseconds at = 0;
  for (const Run::Step& s : run.path) {
    EXPECT_EQ(s.begin_ps, at);
    EXPECT_GT(s.time_ps, 0);
    at += s.time_ps;
  }
  EXPECT_EQ(at, run.total_ps);
  return run;
}

// The path, one step per line: kind, NPU, node, time in nanoseconds.
std::string path(const Run& run) {
  constexpr std::array<std::string_view, 12> kinds = {"compute",    "cpu",     "memory",   "recorded",
                                                      "message",    "receive", "request",  "requested",
                                                      "collective", "delay",   unexplained};
  std::string out;
  for (const Run::Step& s : run.path) {
    out += std::string(kinds[static_cast<std::size_t>(s.kind)]) + ' ' + std::to_string(s.npu) + '.' +
           std::to_string(s.node) + ' ' + std::to_string(s.time_ps / 1000) + '\n';
  }
  return out;
}

TEST(RecordedRun, ThePathGoesBackAlongWhatEndedLast) {
  const convert::Run run = run_of({trace_of(0, {{.id = 1, .begin_ns = 1000, .duration_ns = 50},
                                                {.id = 2, .begin_ns = 1000, .duration_ns = 30},
                                                {.id = 3, .begin_ns = 1060, .duration_ns = 40, .deps = {1, 2}},
                                                {.id = 4, .begin_ns = 1100, .duration_ns = 0, .deps = {3}}})});
  EXPECT_EQ(path(run), "compute 0.1 50\nunexplained 0.3 10\ncompute 0.3 40\n");
  EXPECT_EQ(run.total_ps, 100'000);
  ASSERT_EQ(run.timeline.slices.size(), 3U);
  EXPECT_EQ(run.timeline.slices[0].begin_ps, 0);
  EXPECT_EQ(run.timeline.slices[0].end_ps, 50'000);
  EXPECT_EQ(run.npus[0].nodes, 4U);
}

TEST(RecordedRun, KeepsDependenciesBetweenWhatIsDrawn) {
  const convert::Run run = run_of({trace_of(0, {{.id = 1, .begin_ns = 0, .duration_ns = 50},
                                                {.id = 2, .begin_ns = 50, .duration_ns = 0, .deps = {1}},
                                                {.id = 3, .begin_ns = 60, .duration_ns = 40, .deps = {1, 2}},
                                                {.id = 4, .begin_ns = 60, .duration_ns = 10, .deps = {1}}}),
                                   trace_of(1, {{.id = 1, .begin_ns = 0, .duration_ns = 50},
                                                {.id = 2, .begin_ns = 50, .duration_ns = 9, .deps = {1}}})});
  ASSERT_EQ(run.timeline.slices.size(), 5U);  // the second takes no time
  EXPECT_EQ(run.deps, (std::vector<convert::Run::Dep>{{0, 1}, {0, 2}, {3, 4}}));
}

TEST(RecordedRun, OperatorsWithinOthersCountForWhatTheyAre) {
  // A call that lasts longer, and ends later, than the operation that it starts.
  const convert::Run run = run_of({trace_of(0, {{.id = 1, .begin_ns = 0, .duration_ns = 50, .on_cpu = true},
                                                {.id = 2, .begin_ns = 20, .duration_ns = 100, .deps = {1}}})});
  EXPECT_EQ(path(run), "cpu 0.1 20\ncompute 0.2 100\n");
}

TEST(RecordedRun, ReceivesWaitForTheirSends) {
  const convert::Run run = run_of(
      {trace_of(0,
                {{.id = 1, .begin_ns = 0, .duration_ns = 70},
                 {.id = 2, .type = NodeType::comm_send, .begin_ns = 70, .duration_ns = 5, .deps = {1}, .peer = 1}}),
       trace_of(1, {{.id = 1, .type = NodeType::comm_recv, .begin_ns = 10, .duration_ns = 90, .peer = 0},
                    {.id = 2, .begin_ns = 100, .duration_ns = 20, .deps = {1}}})});
  EXPECT_EQ(path(run), "compute 0.1 70\nmessage 0.2 30\ncompute 1.2 20\n");
  EXPECT_EQ(run.path[1].peer, 1);
  EXPECT_EQ(run.path[1].bytes, 64);
  EXPECT_EQ(run.timeline.slices[1].flow, run.timeline.slices[2].flow);
  EXPECT_NE(run.timeline.slices[1].flow, 0U);
  ASSERT_EQ(run.matrix.size(), 1U);
  EXPECT_EQ(run.matrix[0].bytes, 64);
}

TEST(RecordedRun, CollectivesWaitForTheLast) {
  const auto rank = [](Rank r, std::int64_t compute) {
    return trace_of(r, {{.id = 1, .begin_ns = 0, .duration_ns = compute},
                        {.id = 2,
                         .type = NodeType::comm_coll,
                         .name = "all_gather",
                         .begin_ns = compute,
                         .duration_ns = 100 - compute,
                         .deps = {1}}});
  };
  const convert::Run run = run_of({rank(0, 40), rank(1, 75), rank(2, 10)});
  EXPECT_EQ(path(run), "compute 1.1 75\ncollective 0.2 25\n");
  ASSERT_EQ(run.calls.size(), 1U);
  const convert::Run::Call& call = run.calls[0];
  EXPECT_EQ(call.op, Collective::all_gather);
  EXPECT_EQ(call.npus, 3U);
  EXPECT_EQ(call.size_bytes, 3000);  // the buffer, not the shard
  EXPECT_EQ(call.begin_ps, 10'000);
  EXPECT_EQ(call.last_begin_ps, 75'000);
  EXPECT_EQ(call.end_ps, 100'000);
  EXPECT_EQ(call.first_npu, 2U);
  EXPECT_EQ(run.path[1].call, 0U);
  EXPECT_EQ(run.call_npus.size(), 3U);
  for (const Slice& s : run.timeline.slices) EXPECT_EQ(s.call, s.lane == Lane::collective ? 0U : no_index);
}

TEST(RecordedRun, NodesWithoutTimesLeadOn) {
  const convert::Run run =
      run_of({trace_of(0, {{.id = 1, .begin_ns = 5, .duration_ns = 10},
                           {.id = 2, .type = NodeType::metadata, .begin_ns = -1, .duration_ns = -1, .deps = {1}},
                           {.id = 3, .begin_ns = 15, .duration_ns = 5, .deps = {2}}})});
  EXPECT_EQ(path(run), "compute 0.1 10\ncompute 0.3 5\n");
}

TEST(RecordedRun, CyclesEnd) {
  const convert::Run run = run_of({trace_of(0, {{.id = 1, .begin_ns = 0, .duration_ns = 10, .deps = {2}},
                                                {.id = 2, .begin_ns = 0, .duration_ns = 10, .deps = {1}}})});
  EXPECT_EQ(run.total_ps, 10'000);
}

TEST(RecordedRun, ClocksThatDifferAreTold) {
  (void)run_of({trace_of(0, {{.id = 1, .begin_ns = 0, .duration_ns = 10}}),
                trace_of(1, {{.id = 1, .begin_ns = 5000, .duration_ns = 10}})},
               1);
}

TEST(RecordedRun, RefusesWhatSaysNoTimes) {
  Diagnostics diagnostics;
  const auto failure = [&](const std::vector<Trace>& traces) {
    try {
      (void)recorded_run(traces, "set", diagnostics);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::string none =
      "no node has a recorded time (start_time_micros or start_nanos, and a duration); et-replay -o x.run "
      "simulates "
      "the set";
  EXPECT_EQ(failure({}), none);
  EXPECT_EQ(failure({trace_of(0, {{.id = 1, .begin_ns = -1, .duration_ns = 5}})}), none);
  EXPECT_EQ(failure({trace_of(0, {{.id = 1, .begin_ns = 1, .duration_ns = 1},
                                  {.id = 2, .begin_ns = INT64_MAX / 2, .duration_ns = 1}})}),
            "the recorded times span more than 106 days; check that all ranks use one clock");
}

}  // namespace
}  // namespace convert
