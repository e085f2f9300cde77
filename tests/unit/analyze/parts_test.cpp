// SPDX-License-Identifier: MIT
#include "analyze/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace convert {
namespace {

Slice slice(Rank npu, Lane lane, Picoseconds begin, Picoseconds end) {
  return {.begin_ps = begin, .end_ps = end, .rank = npu, .lane = lane};
}

using Times = std::array<Picoseconds, part_count>;

TEST(Parts, AreWhatIsUnderWay) {
  convert::Run run;
  run.total_ps = 100;
  run.npus = {{.rank = 4}};
  run.calls = {{.begin_ps = 20, .last_begin_ps = 35, .end_ps = 60}};
  run.timeline.slices = {slice(4, Lane::compute, 0, 30), slice(4, Lane::compute, 10, 25),
                         slice(4, Lane::collective, 20, 60), slice(4, Lane::memory, 55, 70),
                         slice(4, Lane::cpu, 65, 80)};
  run.timeline.slices[2].call = 0;
  const std::vector<NpuParts> parts = parts_of(run);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].npu, 4U);
  // The collective waits for its last NPU until 35: computation before 35 hides nothing.
  EXPECT_EQ(parts[0].ps, (Times{30, 0, 25, 5, 10, 10, 20}));
  EXPECT_EQ(parts[0].computing(), 30);
  EXPECT_EQ(parts[0].communication(), 25);
}

TEST(Parts, AReceiveWaitsForItsSend) {
  convert::Run run;
  run.total_ps = 50;
  run.npus = {{.rank = 0}, {.rank = 1}};
  run.timeline.slices = {slice(0, Lane::send, 20, 50), slice(1, Lane::recv, 0, 50), slice(1, Lane::recv, 5, 10)};
  run.timeline.slices[0].flow = run.timeline.slices[1].flow = 7;
  const std::vector<NpuParts> parts = parts_of(run);
  EXPECT_EQ(parts[0].ps, (Times{0, 0, 30, 0, 0, 0, 20}));
  // While another receive, which has no flow, transfers bytes, the NPU does not wait.
  EXPECT_EQ(parts[1].ps, (Times{0, 0, 35, 15, 0, 0, 0}));
}

TEST(Parts, OnAnIdealNetworkNoCommunicationIsHidden) {
  convert::Run run;
  run.total_ps = 100;
  run.npus = {{.rank = 0}, {.rank = 1}};
  run.calls = {{.begin_ps = 5, .last_begin_ps = 60, .end_ps = 60}};
  // NPU 1 posts its receive and calls its collective early, computes, and completes both when NPU 0 reaches them.
  run.timeline.slices = {slice(0, Lane::compute, 0, 60),     slice(0, Lane::send, 60, 60),
                         slice(0, Lane::collective, 60, 60), slice(1, Lane::recv, 0, 60),
                         slice(1, Lane::collective, 5, 60),  slice(1, Lane::compute, 10, 40)};
  run.timeline.slices[1].flow = run.timeline.slices[3].flow = 7;
  run.timeline.slices[2].call = run.timeline.slices[4].call = 0;
  EXPECT_EQ(parts_of(run)[0].ps, (Times{60, 0, 0, 0, 0, 0, 40}));
  EXPECT_EQ(parts_of(run)[1].ps, (Times{30, 0, 0, 30, 0, 0, 40}));
}

TEST(Parts, WhatIsOpenWaitsToTheEnd) {
  convert::Run run;
  run.status = RunStatus::deadlock;
  run.total_ps = 10;
  run.reached_ps = 40;
  run.npus = {{.rank = 0}};
  run.timeline.slices = {slice(0, Lane::recv, 10, 40)};
  run.timeline.slices[0].open = true;
  EXPECT_EQ(parts_of(run)[0].ps, (Times{0, 0, 0, 30, 0, 0, 10}));
}

TEST(Parts, AddUpToTheTotalWhateverOverlaps) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    convert::Run run;
    run.total_ps = 1000;
    run.npus = {{.rank = 0}};
    std::array<std::array<bool, 4>, 1000> busy{};  // by picosecond: compute, communication, memory, CPU
    for (int i = 0; i < 30; ++i) {
      const auto begin = static_cast<Picoseconds>(random() % 1000);
      const Picoseconds end = std::min<Picoseconds>(1000, begin + static_cast<Picoseconds>(random() % 90));
      const auto lane = static_cast<Lane>(random() % lane_names.size());
      run.timeline.slices.push_back(slice(0, lane, begin, end));
      const std::size_t kind = lane == Lane::compute ? 0 : communicates(lane) ? 1 : lane == Lane::memory ? 2 : 3;
      for (Picoseconds t = begin; t < end; ++t) busy.at(static_cast<std::size_t>(t)).at(kind) = true;
    }
    Times expected{};
    for (const auto& [compute, communication, memory, cpu] : busy) {
      const Part part = compute && communication ? Part::overlap
                        : compute                ? Part::compute
                        : communication          ? Part::exposed
                        : memory                 ? Part::memory
                        : cpu                    ? Part::cpu
                                                 : Part::idle;
      ++expected.at(static_cast<std::size_t>(part));
    }
    EXPECT_EQ(parts_of(run)[0].ps, expected);
  }
}

TEST(Parts, ARunWithoutSlicesHasNone) {
  convert::Run run;
  run.total_ps = 5;
  run.npus = {{.rank = 0}};
  EXPECT_TRUE(parts_of(run).empty());
  run.timeline.slices = {slice(0, Lane::compute, 0, 0)};
  EXPECT_EQ(parts_of(run)[0].ps, (Times{0, 0, 0, 0, 0, 0, 5}));
}

}  // namespace
}  // namespace convert
