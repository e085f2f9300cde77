// SPDX-License-Identifier: MIT
#include "analyze/diff/path_parts.h"

#include <gtest/gtest.h>

#include <map>

#include "analyze/diff/difference.h"

namespace convert {
namespace {

std::map<std::string, Picoseconds> parts_of_path(const convert::Run& run) {
  std::map<std::string, Picoseconds> parts;
  for_each_path_part(
      run, [&](PathWork, const std::string& what, std::string_view, Picoseconds time) { parts[what] += time; });
  return parts;
}

// NPUs compute for the given times and then call a reduce-scatter of 40 ps, from which the path goes back to the
// last NPU.
convert::Run meeting(const std::vector<Picoseconds>& computing) {
  convert::Run run;
  const std::uint32_t gemm = run.timeline.names.add("gemm"), rs = run.timeline.names.add("RS");
  Rank last = 0;
  for (Rank r = 0; r < computing.size(); ++r) {
    if (computing[r] > computing[last]) last = r;
    run.npus.push_back({.rank = r});
  }
  const Picoseconds begin = computing[last];
  run.total_ps = begin + 40;
  run.calls = {{.op = Collective::reduce_scatter, .last_begin_ps = begin, .end_ps = begin + 40}};
  for (Rank r = 0; r < computing.size(); ++r) {
    run.timeline.slices.push_back({.end_ps = computing[r], .rank = r, .name = gemm});
    run.timeline.slices.push_back({.begin_ps = computing[r],
                                   .end_ps = begin + 40,
                                   .node = 1,
                                   .rank = r,
                                   .name = rs,
                                   .call = 0,
                                   .lane = Lane::collective});
    run.call_npus.push_back({.npu = r, .begin_ps = computing[r], .end_ps = begin + 40});
  }
  run.path = {{.kind = Run::StepKind::compute, .npu = last, .name = gemm, .time_ps = begin},
              {.kind = Run::StepKind::collective,
               .npu = last,
               .node = 1,
               .name = rs,
               .begin_ps = begin,
               .time_ps = 40,
               .call = 0}};
  return run;
}

using Parts = std::map<std::string, Picoseconds>;

TEST(PathParts, HalfOfTheOthersWaitForTheLast) {
  EXPECT_EQ(parts_of_path(meeting({100, 110, 120, 200})),
            (Parts{{"computing", 110}, {"reduce_scatter", 40}, {"waiting for NPU 3", 90}}));
  EXPECT_EQ(parts_of_path(meeting({100, 170})),
            (Parts{{"computing", 100}, {"reduce_scatter", 40}, {"waiting for NPU 1", 70}}));
}

TEST(PathParts, NobodyWaitsForOneThatIsNotLate) {
  EXPECT_EQ(parts_of_path(meeting({100, 100, 100})), (Parts{{"computing", 100}, {"reduce_scatter", 40}}));
  EXPECT_EQ(parts_of_path(meeting({100})), (Parts{{"computing", 100}, {"reduce_scatter", 40}}));
  EXPECT_TRUE(parts_of_path({}).empty());
}

TEST(PathParts, SeveralThatAreLastAreCounted) {
  EXPECT_EQ(parts_of_path(meeting({100, 100, 100, 150, 150})),
            (Parts{{"computing", 100}, {"reduce_scatter", 40}, {"waiting for the last 2 NPUs", 50}}));
}

// An NPU that has called a collective and continues to compute does not wait for it.
TEST(PathParts, ComputingIsNotWaiting) {
  convert::Run run = meeting({100, 200});
  run.timeline.slices.push_back({.begin_ps = 120, .end_ps = 180, .node = 2, .rank = 0});
  EXPECT_EQ(parts_of_path(run), (Parts{{"computing", 180}, {"reduce_scatter", 40}, {"waiting for NPU 1", 20}}));
}

TEST(PathParts, WithoutTimesOfTheOthersThereIsNoWaiting) {
  convert::Run run = meeting({100, 200});
  run.call_npus.clear();
  EXPECT_EQ(parts_of_path(run), (Parts{{"computing", 200}, {"reduce_scatter", 40}}));
}

// One NPU that represents three.
TEST(PathParts, AnNpuCountsForThoseThatItStandsFor) {
  convert::Run run = meeting({100, 180, 200});
  run.npus.push_back({.rank = 3});
  run.npus.push_back({.rank = 4});
  run.classes = {{.npu = 3, .like = 0}, {.npu = 4, .like = 0}};
  EXPECT_EQ(parts_of_path(run), (Parts{{"computing", 100}, {"reduce_scatter", 40}, {"waiting for NPU 2", 100}}));
}

TEST(PathParts, AMessageIsWaitedForByWhoHasPostedItsReceive) {
  convert::Run run;
  const std::uint32_t name = run.timeline.names.add("x");
  run.total_ps = 130;
  run.npus = {{.rank = 0}, {.rank = 1}};
  run.timeline.slices = {
      {.end_ps = 100, .name = name},
      {.begin_ps = 100, .end_ps = 130, .node = 1, .flow = 1, .name = name, .peer = 1, .lane = Lane::send},
      {.end_ps = 60, .rank = 1, .name = name},
      {.begin_ps = 60,
       .end_ps = 130,
       .node = 1,
       .flow = 1,
       .rank = 1,
       .name = name,
       .peer = 0,
       .lane = Lane::recv}};
  run.path = {{.name = name, .time_ps = 100},
              {.kind = Run::StepKind::message, .node = 1, .name = name, .begin_ps = 100, .time_ps = 30, .peer = 1}};
  EXPECT_EQ(parts_of_path(run), (Parts{{"computing", 60}, {"messages", 30}, {"waiting for NPU 0", 40}}));
}

TEST(CompareRuns, NamesWhomTheOthersWaitFor) {
  const convert::Run slow = meeting({100, 100, 100, 200}), even = meeting({100, 100, 100, 100});
  EXPECT_EQ(compare_runs(slow, even, {}).sentence(), "B is 100 ps (41.7 %) faster: 100 ps less waiting for NPU 3");
  EXPECT_EQ(compare_runs(even, slow, {}).sentence(), "B is 100 ps (71.4 %) slower: 100 ps more waiting for NPU 3");
}

TEST(CompareRuns, WhatIsNotSaidIsSummedUp) {
  convert::Run a = meeting({100}), b = meeting({100});
  // Adds a step of each kind, each shorter than the preceding one.
  using Kind = Run::StepKind;
  Picoseconds time = 64, begin = b.total_ps;
  for (const Kind kind : {Kind::cpu, Kind::memory, Kind::recorded, Kind::message, Kind::unexplained}) {
    b.path.push_back({.kind = kind, .begin_ps = begin, .time_ps = time});
    begin += time;
    time /= 2;
  }
  b.total_ps = begin;
  const Difference d = compare_runs(a, b, {});
  EXPECT_EQ(d.sentence(),
            "B is 124 ps (88.6 %) slower: 64 ps more CPU, 32 ps more memory, 16 ps more recorded "
            "communication, 12 ps more in 2 other parts");
  Picoseconds sum = 0;
  for (const auto& [what, part] : d.path_parts) sum += part.change();
  EXPECT_EQ(sum, *d.total_b - *d.total_a);
}

TEST(CompareRuns, WithoutPathsTheMeanNpuTells) {
  convert::Run a = meeting({100, 200}), b = meeting({100, 100});
  a.path.clear();
  const Difference d = compare_runs(a, b, {});
  EXPECT_EQ(d.sentence(),
            "B is 100 ps (41.7 %) faster, the mean NPU: 50 ps less computing alone, 50 ps less waiting for others");
  EXPECT_FALSE(d.paths);
}

}  // namespace
}  // namespace convert
