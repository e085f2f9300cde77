// SPDX-License-Identifier: MIT
#include "synthesis/bounds/crossing.h"

#include <gtest/gtest.h>

#include "common/error_text.h"
#include "unit/synthesis/random_graphs.h"

namespace {

using namespace convert;

TEST(CrossingTest, WaitsForTheLatencyOfEachLane) {
  // 10 per picosecond from 100 on: 50 have arrived at 105.
  EXPECT_EQ(earliest({{10, 100}}, 50, 1), 105);
  // The second begins at 103, when 30 have arrived, and both carry the last 20.
  EXPECT_EQ(earliest({{10, 100}, {10, 103}}, 50, 1), 104);
  // A lane that begins at the end, or later, carries nothing.
  EXPECT_EQ(earliest({{10, 105}, {10, 100}}, 50, 1), 105);
  EXPECT_EQ(earliest({{10, 100}, {1000, 106}}, 50, 1), 105);
  EXPECT_EQ(earliest({{10, 100}, {0, 0}}, 50, 1), 105);
  // Rounded down; scaled.
  EXPECT_EQ(earliest({{7, 0}}, 50, 1), 7);
  EXPECT_EQ(earliest({{1, 0}}, 50, 7), 7);
  EXPECT_EQ(earliest({}, 0, 1), 0);
}

TEST(CrossingTest, RefusesTimesBeyondAllNumbers) {
  EXPECT_NE(test::error_text([] {
              (void)earliest({{1, 0}}, WideUnsigned{1} << 70U, 1);
            }).find("53 days"),
            std::string::npos);
  EXPECT_NE(test::error_text([] {
              (void)earliest({{INT64_MAX, INT64_MAX}}, 1, INT64_MAX);
            }).find("too large"),
            std::string::npos);
  EXPECT_NE(test::error_text([] { (void)earliest({{0, 5}}, 1, 1); }).find("no link"), std::string::npos);
}

TEST(CrossingTest, CountsWholeMessages) {
  // 1 MiB at 50 GB/s takes 20.97152 µs, and 0.5 µs until it arrives.
  const auto p = test::problem_of(parse_short_network("mesh:3,bw=50GB/s,lat=500ns"), Collective::all_gather);
  EXPECT_EQ(slot_time(p.graph, p.graph.in[0], 3, 1 << 20), 3 * 21'471'520);
  EXPECT_EQ(slot_time(p.graph, p.graph.in[1], 2, 1 << 20), 21'471'520);
  EXPECT_EQ(slot_time(p.graph, p.graph.in[1], 3, 1 << 20), 2 * 21'471'520);
  EXPECT_EQ(slot_time(p.graph, p.graph.in[1], 0, 1 << 20), 0);
  // A third of a nanosecond: the third message arrives at 1 ns and 1.5 µs, the second is rounded down.
  const auto q = test::problem_of(parse_short_network("mesh:2,bw=3GB/s,lat=500ns"), Collective::all_gather);
  EXPECT_EQ(slot_time(q.graph, q.graph.in[0], 3, 1), 1'501'000);
  EXPECT_EQ(slot_time(q.graph, q.graph.in[0], 2, 1), 1'000'666);
}

}  // namespace
