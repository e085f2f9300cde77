// SPDX-License-Identifier: MIT
#include "analyze/diff/difference.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

Trace chain(std::size_t nodes, std::uint64_t us) {
  Trace t;
  t.metadata.table.add_string(attr::history, "et-generate 1");
  for (NodeId i = 0; i < nodes; ++i) {
    Node& n = t.nodes.add_node(i, NodeType::comp, "gemm");
    n.duration_us = us;
    n.start_us = 1000 + i * us;
    if (i != 0) t.nodes.add_data_dep(i - 1);
    t.nodes.add_int(attr::num_ops, Kind::int64_val, 8);
    t.nodes.end_node();
  }
  return t;
}

TEST(CompareTraces, TheSameIsTheSame) {
  const Trace a = chain(5, 10);
  Trace b = chain(5, 10);
  b.metadata.table.clear();
  b.metadata.table.add_string(attr::history, "another");
  for (Node& n : b.nodes.nodes) n.start_us += 77;  // recorded another day
  const Difference d = compare_traces(a, b, {});
  EXPECT_TRUE(d.same());
  EXPECT_EQ(d.sentence(), "A and B are the same: 1 rank, 5 nodes");
}

TEST(CompareTraces, IdsAreNoDifference) {
  const Trace a = chain(3, 10);
  Trace b = chain(3, 10);
  for (Node& n : b.nodes.nodes) n.id += 100;
  for (NodeId& dep : b.nodes.deps) dep += 100;
  const Difference d = compare_traces(a, b, {});
  EXPECT_TRUE(d.same());
  EXPECT_EQ(d.other_ids, 3U);
}

TEST(CompareTraces, AttributesNamesAndDependencies) {
  const Trace a = chain(4, 10);
  Trace b = chain(4, 10);
  b.nodes.attrs[1].bits = 9;
  b.nodes.deps[2] = 1;  // dependency of node 3
  const Difference d = compare_traces(a, b, {});
  EXPECT_EQ(d.sentence(),
            "B differs from A: 1 node changed (num_ops in 1), 1 dependency only in A and 1 dependency only in B");
  ASSERT_EQ(d.changes.kept.size(), 1U);
  EXPECT_EQ(d.changes.kept[0].old_value, "8");
  EXPECT_EQ(d.changes.kept[0].new_value, "9");
  EXPECT_EQ(d.edges_only_a.kept.at(0).on, 2U);
  EXPECT_EQ(d.edges_only_b.kept.at(0).on, 1U);
  DiffWishes ignoring;
  ignoring.ignore = {"num_ops"};
  EXPECT_EQ(compare_traces(a, b, ignoring).changes.count, 0U);
}

TEST(CompareTraces, TimesWithTolerance) {
  const Trace a = chain(20, 100), b = chain(20, 101);
  EXPECT_EQ(compare_traces(a, b, {}).changed_nodes, 20U);
  EXPECT_TRUE(compare_traces(a, b, {.structure = true}).same());
  EXPECT_TRUE(compare_traces(a, b, {.tolerance_part = 0.01}).same());
  EXPECT_TRUE(compare_traces(a, b, {.tolerance_ps = 19 * ps_per_us}).same());
  const Difference d = compare_traces(a, b, {.times = true});
  const Table times = d.names.table(false);
  ASSERT_EQ(times.rows.size(), 1U);
  EXPECT_EQ(times.rows[0][5], Value(20 * ps_per_us));
  EXPECT_EQ(times.rows[0][7], Value(std::string("yes")));
}

TEST(CompareTraces, OneNodeMore) {
  const Difference d = compare_traces(chain(4, 10), chain(5, 10), {});
  EXPECT_EQ(d.sentence(), "B differs from A: 1 node only in B");
  EXPECT_EQ(d.only_b.kept.at(0).node, 4U);
}

TEST(CompareTraces, PeersByTheNamesOfB) {
  const auto sender = [](std::int64_t to) {
    Trace t;
    t.nodes.add_node(0, NodeType::comm_send, "send");
    t.nodes.add_int(attr::comm_dst, Kind::int32_val, to);
    t.nodes.add_int(attr::comm_tag, Kind::int32_val, 1);
    t.nodes.end_node();
    return t;
  };
  EXPECT_FALSE(compare_traces(sender(1), sender(5), {}).same());
  DiffWishes mapped;
  mapped.ranks = {{1, 5}};
  EXPECT_TRUE(compare_traces(sender(1), sender(5), mapped).same());
}

TEST(CompareTraces, NothingWithNothing) { EXPECT_TRUE(compare_traces({}, {}, {}).same()); }

Run run_of(Picoseconds compute, Picoseconds reduce) {
  convert::Run run;
  run.total_ps = compute + reduce;
  run.npus = {{.rank = 0}};
  run.calls = {{.op = Collective::reduce_scatter,
                .begin_ps = compute,
                .last_begin_ps = compute,
                .end_ps = compute + reduce}};
  run.timeline.slices = {{.begin_ps = 0, .end_ps = compute, .node = 1, .name = run.timeline.names.add("gemm")},
                         {.begin_ps = compute,
                          .end_ps = compute + reduce,
                          .node = 2,
                          .name = run.timeline.names.add("RS"),
                          .call = 0,
                          .lane = Lane::collective}};
  run.path = {
      {.kind = Run::StepKind::compute, .node = 1, .name = 0, .begin_ps = 0, .time_ps = compute},
      {.kind = Run::StepKind::collective, .node = 2, .name = 1, .begin_ps = compute, .time_ps = reduce, .call = 0}};
  return run;
}

TEST(CompareRuns, SaysWhichIsFasterAndWhy) {
  const Difference d = compare_runs(run_of(8 * ps_per_us, 4 * ps_per_us), run_of(8 * ps_per_us, ps_per_us), {});
  EXPECT_FALSE(d.same());
  EXPECT_EQ(d.sentence(), "B is 3 µs (25.0 %) faster: 3 µs less reduce_scatter");
  const Difference slower = compare_runs(run_of(8 * ps_per_us, ps_per_us), run_of(10 * ps_per_us, ps_per_us), {});
  EXPECT_EQ(slower.sentence(), "B is 2 µs (22.2 %) slower: 2 µs more computing (gemm)");
}

TEST(CompareRuns, TheSameWithinTheTolerance) {
  const convert::Run a = run_of(1000, 500), b = run_of(1005, 500);
  EXPECT_TRUE(compare_runs(a, a, {}).same());
  EXPECT_FALSE(compare_runs(a, b, {}).same());
  EXPECT_TRUE(compare_runs(a, b, {.tolerance_part = 0.01}).same());
  EXPECT_TRUE(compare_runs(a, b, {.structure = true}).same());
}

// The progress of a run before it stopped is unrelated to its speed.
TEST(CompareRuns, ARunThatDoesNotEndIsNotFaster) {
  const convert::Run a = run_of(1000, 500);
  convert::Run b = run_of(1000, 100);
  b.status = RunStatus::deadlock;
  b.reached_ps = b.total_ps;
  EXPECT_EQ(compare_runs(a, b, {}).sentence(), "A takes 1.5 ns, B does not end (deadlock at 1.1 ns)");
  b.status = RunStatus::stopped;
  EXPECT_EQ(compare_runs(a, b, {}).sentence(), "A takes 1.5 ns, B is stopped at 1.1 ns");
  convert::Run c = a;
  c.status = RunStatus::deadlock;
  EXPECT_FALSE(compare_runs(a, c, {}).same());
  EXPECT_TRUE(compare_runs(c, c, {}).same());
}

TEST(CompareRuns, OtherNpusAreTold) {
  const convert::Run a = run_of(1000, 500);
  convert::Run b = run_of(1000, 400);
  b.timeline.slices.push_back(b.timeline.slices[0]);
  b.timeline.slices.back().rank = 1;
  const Difference d = compare_runs(a, b, {});
  ASSERT_EQ(d.notes.size(), 1U);
  EXPECT_EQ(d.notes[0], "A has 1 NPU, B has 2 NPUs; slices are compared for 1 NPU");
}

TEST(CompareRuns, AnNpuThatAnotherStandsForIsComparedByThatOne) {
  convert::Run a = run_of(1000, 500), b = a;
  b.npus.push_back({.rank = 1});
  a.npus.push_back({.rank = 1});
  b.classes = {{.npu = 1, .like = 0}};
  a.timeline.slices.push_back(a.timeline.slices[0]);
  a.timeline.slices.push_back(a.timeline.slices[1]);
  a.timeline.slices[2].rank = a.timeline.slices[3].rank = 1;
  const Difference d = compare_runs(a, b, {});
  EXPECT_TRUE(d.same()) << d.sentence();
  EXPECT_EQ(d.ranks, 2U);
}

}  // namespace
}  // namespace convert
