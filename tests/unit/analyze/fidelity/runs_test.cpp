// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <vector>

#include "analyze/fidelity/fidelity.h"

namespace convert {
namespace {

// Two NPUs that compute for the given times and then all-reduce for 40 ns.
Run reducing_run(const std::vector<Picoseconds>& computing_ns, const char* gemm_name = "gemm") {
  Run run;
  const std::uint32_t gemm = run.timeline.names.add(gemm_name), reduce = run.timeline.names.add("reduce");
  Picoseconds begin = 0;
  for (const Picoseconds ns : computing_ns) begin = std::max(begin, ns * ps_per_ns);
  run.total_ps = run.reached_ps = begin + 40 * ps_per_ns;
  run.calls = {{.npus = 2, .size_bytes = 64, .last_begin_ps = begin, .end_ps = run.total_ps}};
  for (Rank r = 0; r < computing_ns.size(); ++r) {
    const Picoseconds end = computing_ns[r] * ps_per_ns;
    run.npus.push_back({.rank = r, .finish_ps = run.total_ps});
    run.timeline.slices.push_back({.end_ps = end, .rank = r, .name = gemm});
    run.timeline.slices.push_back({.begin_ps = end,
                                   .end_ps = run.total_ps,
                                   .node = 1,
                                   .rank = r,
                                   .name = reduce,
                                   .call = 0,
                                   .lane = Lane::collective});
    run.call_npus.push_back({.npu = r, .begin_ps = end, .end_ps = run.total_ps});
  }
  return run;
}

TEST(RunStatistics, ARunIsAsItself) {
  const convert::Run run = reducing_run({100, 60});
  const Fidelity f = compare_run_statistics(run, run);
  EXPECT_TRUE(f.same());
  EXPECT_EQ(f.sentence(), "B equals A in all metrics: 2 NPUs, 4 slices");
  const RunOutline& a = f.simulated.front().a;
  EXPECT_EQ(a.span_ps, 140'000);
  EXPECT_EQ(a.exposed_ps, 40'000);  // without waiting
  EXPECT_EQ(a.waiting_ps, (0 + 40'000) / 2.0);
}

TEST(RunStatistics, TellsWhatDiffers) {
  const Fidelity f = compare_run_statistics(reducing_run({100, 60}), reducing_run({100, 100}));
  EXPECT_FALSE(f.same());
  EXPECT_EQ(f.set.classes.total_variation, 0);
  ASSERT_EQ(f.set.durations.size(), 2U);
  EXPECT_EQ(f.set.durations[0].lane, "compute");
  EXPECT_EQ(f.set.durations[0].distance, 0.5);  // one of two is 60 ns
  EXPECT_EQ(f.set.durations[1].distance, 0.5);  // and waits longer
  EXPECT_EQ(f.set.work[0].change(), 0.25);
  EXPECT_EQ(f.simulated.front().span_change(), 0);
  EXPECT_EQ(*f.simulated.front().exposed_change(), 0);
  EXPECT_EQ(f.simulated.front().waiting_change(), -1);
}

TEST(RunStatistics, NewNamesAreNoDifference) {
  EXPECT_TRUE(compare_run_statistics(reducing_run({100, 60}), reducing_run({100, 60}, "17")).same());
}

TEST(RunStatistics, NpusThatAnotherStandsForCount) {
  convert::Run all = reducing_run({100, 100}), one = reducing_run({100, 100});
  one.timeline.slices.resize(2);
  one.classes = {{.npu = 1, .like = 0}};
  const Fidelity f = compare_run_statistics(all, one);
  EXPECT_TRUE(f.same()) << f.sentence();
  EXPECT_EQ(f.set.nodes_b, 4U);
}

TEST(RunStatistics, ARunThatDoesNotEndIsTold) {
  convert::Run stuck = reducing_run({100, 60});
  stuck.status = RunStatus::deadlock;
  const Fidelity f = compare_run_statistics(reducing_run({100, 60}), stuck);
  EXPECT_FALSE(f.same());
  EXPECT_EQ(f.simulated.front().span_change(), std::nullopt);
  ASSERT_EQ(f.notes.size(), 1U);
  EXPECT_EQ(f.notes[0], "B did not run to its end: its status is deadlock");
  EXPECT_TRUE(compare_run_statistics(stuck, stuck).same());
}

TEST(RunStatistics, EmptyRuns) {
  const Fidelity f = compare_run_statistics(convert::Run(), convert::Run());
  EXPECT_TRUE(f.same());
  EXPECT_EQ(f.notes.size(), 1U);
  EXPECT_FALSE(compare_run_statistics(convert::Run(), reducing_run({1, 2})).same());
}

}  // namespace
}  // namespace convert
