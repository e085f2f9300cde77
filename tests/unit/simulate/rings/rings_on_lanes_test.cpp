// SPDX-License-Identifier: MIT
// Rings that share lanes alternate on them.
#include "simulate/rings/rings_on_lanes.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

namespace convert::test {
namespace {

MessageWay way(std::vector<WireHop> hops) { return {.hops = std::move(hops), .delay = 0}; }

RingLane lane(std::vector<Picoseconds> free, const std::vector<WireHop>& smaller,
              const std::vector<WireHop>& larger) {
  return {.free = std::move(free), .ways = {way(smaller), way(larger)}};
}

// Makes two rings of two members whose messages occupy a link for 4, or 6 if they are larger, and arrive 10 later.
RingsOnLanes two_rings(Picoseconds begin_of_0, Picoseconds begin_of_1) {
  RingsOnLanes rings;
  rings.reset(2, 2, 1);
  rings.begins(0, begin_of_0);
  rings.begins(1, begin_of_1);
  for (std::uint32_t i = 0; i < 2; ++i)
    rings.lane(i, lane({i == 0 ? Picoseconds{0} : Picoseconds{103}}, {{i, 4, 14}}, {{i, 6, 16}}));
  return rings;
}

TEST(RingsOnLanes, TakeTurns) {
  RingsOnLanes rings = two_rings(100, 100);
  ASSERT_TRUE(rings.is_safe(2, 1));
  rings.round(0, {.first_larger = 0, .larger = 1, .pass = {1, 2}});
  EXPECT_EQ(rings.time(0, 0), 118);  // sent by 1 at 100, larger
  EXPECT_EQ(rings.time(0, 1), 118);  // the lane was free at 103
  rings.round(1, {.pass = {1, 2}});
  EXPECT_EQ(rings.time(1, 0), 121);  // 6 later
  EXPECT_EQ(rings.time(1, 1), 122);
  rings.round(0, {});
  EXPECT_EQ(rings.time(0, 0), 132);
  RingLane left{.is_taken = true, .free = {0}};
  rings.leave(0, left);
  EXPECT_FALSE(left.is_taken);
  EXPECT_EQ(left.last_send, 118);
  EXPECT_EQ(left.free[0], 122);
  EXPECT_TRUE(rings.in_turns());
  EXPECT_EQ(rings.larger_received(0), (std::vector<std::int64_t>{1, 0, 0}));
}

// Members process the first ring's message for so long that the second ring's next message is sent before.
TEST(RingsOnLanes, DoNotOvertake) {
  RingsOnLanes rings;
  rings.reset(2, 2, 1);
  for (std::uint32_t i = 0; i < 2; ++i) {
    rings.begins(i, 0);
    rings.lane(i, lane({0}, {{i, 50, 51}}, {{i, 50, 51}}));
  }
  rings.round(0, {});
  rings.round(1, {});
  EXPECT_TRUE(rings.in_turns());
  rings.round(0, {.pass = {200, 200}});  // at 51
  rings.round(1, {});                    // at 101
  EXPECT_TRUE(rings.in_turns());
  rings.round(0, {});  // at 302
  EXPECT_TRUE(rings.in_turns());
  rings.round(1, {});  // at 152
  EXPECT_FALSE(rings.in_turns());
}

TEST(RingsOnLanes, StoredMessagesWaitAtEachHop) {
  RingsOnLanes rings;
  rings.reset(2, 2, 2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    rings.begins(i, 0);
    rings.lane(i, lane({0, 0}, {{i, 4, 5}, {i + 2, 4, 5}}, {{i, 6, 7}, {i + 2, 6, 7}}));
  }
  rings.round(0, {.first_larger = 0, .larger = 2});
  EXPECT_EQ(rings.time(0, 0), 14);
  rings.round(1, {});
  EXPECT_EQ(rings.time(1, 0), 18);  // at 6 and 11, but the second link is free at 13
}

TEST(RingsOnLanes, StayBelowTheEndOfTheClock) {
  RingsOnLanes rings = two_rings(0, std::numeric_limits<Picoseconds>::max() / 2);
  EXPECT_FALSE(rings.is_safe(1, 0));
}

// A lane shares no link with another.
TEST(RingLanes, AreApart) {
  RingLanes lanes;
  EXPECT_EQ(lanes.find(0, 1), nullptr);
  RingLane* const first = lanes.make(0, 1, way({{7, 1, 1}, {8, 1, 1}}));
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->free.size(), 2U);
  EXPECT_EQ(lanes.find(0, 1), first);
  EXPECT_EQ(lanes.make(0, 2, way({{7, 1, 1}, {9, 1, 1}})), nullptr);
  EXPECT_EQ(lanes.find(0, 2), nullptr);
}

}  // namespace
}  // namespace convert::test
