// SPDX-License-Identifier: MIT
// Rings that share lanes take turns on them.
#include "simulate/rings/ring_lanes.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

namespace convert::test {
namespace {

MessageWay way(std::vector<WireHop> hops) { return {.hops = std::move(hops), .delay = 0}; }

// Makes two rings of two members whose messages take a wire for 4, or 6 if they are larger, and come 10 after that.
LaneRings two_rings(Picoseconds begin_of_0, Picoseconds begin_of_1) {
  LaneRings rings;
  rings.reset(2, 2, 1);
  rings.begins(0, begin_of_0);
  rings.begins(1, begin_of_1);
  for (std::uint32_t i = 0; i < 2; ++i)
    rings.lane(i, {way({{i, 4, 14}}), way({{i, 6, 16}})}, {i == 0 ? Picoseconds{0} : Picoseconds{103}});
  return rings;
}

TEST(LaneRings, TakeTurns) {
  LaneRings rings = two_rings(100, 100);
  ASSERT_TRUE(rings.is_safe(2, 1));
  rings.round(0, {.first_larger = 0, .larger = 1, .pass = {1, 2}});
  EXPECT_EQ(rings.time(0, 0), 118);  // sent by 1 at 100, larger
  EXPECT_EQ(rings.time(0, 1), 118);  // the lane was free at 103
  rings.round(1, {.pass = {1, 2}});
  EXPECT_EQ(rings.time(1, 0), 121);  // 6 later
  EXPECT_EQ(rings.time(1, 1), 122);
  rings.round(0, {});
  EXPECT_EQ(rings.time(0, 0), 132);
  EXPECT_EQ(rings.last_send(0), 118);
  EXPECT_EQ(rings.free(0, 0), 122);
  EXPECT_TRUE(rings.in_turns());
  EXPECT_EQ(rings.larger_received(0), (std::vector<std::int64_t>{1, 0, 0}));
}

// The second ring's first message comes so late that the first ring's second one is sent before.
TEST(LaneRings, DoNotOvertake) {
  LaneRings rings;
  rings.reset(2, 2, 1);
  for (std::uint32_t i = 0; i < 2; ++i) {
    rings.begins(i, 0);
    rings.lane(i, {way({{i, 50, 51}}), way({{i, 50, 51}})}, {0});
  }
  rings.round(0, {});
  rings.round(1, {});
  EXPECT_TRUE(rings.in_turns());
  rings.round(0, {});  // at 51
  rings.round(1, {});  // at 101
  EXPECT_TRUE(rings.in_turns());
  rings.round(0, {});
  EXPECT_TRUE(rings.in_turns());
  rings.begins(0, 0);  // both at once
  rings.round(0, {});
  EXPECT_FALSE(rings.in_turns());
}

TEST(LaneRings, StoredMessagesWaitAtEachHop) {
  LaneRings rings;
  rings.reset(2, 2, 2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    rings.begins(i, 0);
    rings.lane(i, {way({{i, 4, 5}, {i + 2, 4, 5}}), way({{i, 6, 7}, {i + 2, 6, 7}})}, {0, 0});
  }
  rings.round(0, {.first_larger = 0, .larger = 2});
  EXPECT_EQ(rings.time(0, 0), 14);
  rings.round(1, {});
  EXPECT_EQ(rings.time(1, 0), 18);  // at 6 and 11, but the second wire is free at 13
}

TEST(LaneRings, StayBelowTheEndOfTheClock) {
  LaneRings rings = two_rings(0, std::numeric_limits<Picoseconds>::max() / 2);
  EXPECT_FALSE(rings.is_safe(1, 0));
}

// A lane shares no wire with another.
TEST(RingLanes, AreApart) {
  RingLanes lanes;
  RingLanes::Lane* const first = lanes.lane(0, 1, way({{7, 1, 1}, {8, 1, 1}}));
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->free.size(), 2U);
  EXPECT_EQ(lanes.lane(0, 1, way({{7, 1, 1}, {8, 1, 1}})), first);
  EXPECT_EQ(lanes.lane(0, 2, way({{7, 1, 1}, {9, 1, 1}})), nullptr);
}

}  // namespace
}  // namespace convert::test
