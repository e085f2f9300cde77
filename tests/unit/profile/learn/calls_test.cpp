// SPDX-License-Identifier: MIT
// Statistics of the communication of ranks: dependencies between calls, and sizes.
#include <gtest/gtest.h>

#include "profile/draw/drawn_rank.h"
#include "profile/learn/calls/sizes.h"
#include "profile/learn/calls/waits.h"

namespace convert {
namespace {

// Calls that wait for others, by their numbers.
RankLog log_of(const std::vector<std::vector<std::uint32_t>>& after) {
  RankLog log;
  for (const std::vector<std::uint32_t>& items : after) {
    log.calls.push_back(
        {.after = {static_cast<std::uint32_t>(log.after.size()), static_cast<std::uint32_t>(items.size())}});
    log.after.insert(log.after.end(), items.begin(), items.end());
  }
  return log;
}

std::vector<std::vector<std::uint32_t>> nearest(const RankLog& log, const std::vector<std::uint32_t>& places) {
  std::vector<std::vector<std::uint32_t>> out;
  for (const CallWaits& w : call_waits(log, places)) out.push_back(w.nearest);
  return out;
}

using Backs = std::vector<std::vector<std::uint32_t>>;

TEST(CallWaits, WhatNoneOfTheOthersWaitsForItself) {
  // 0; 1 and 2 wait for it; 3 waits for all three, that is, for 1 and 2.
  const RankLog log = log_of({{}, {0}, {0}, {0, 1, 2}});
  EXPECT_EQ(nearest(log, {0, 1, 2, 3}), (Backs{{}, {1}, {2}, {1, 2}}));
  const CallWaits last = call_waits(log, std::vector<std::uint32_t>{0, 1, 2, 3}).back();
  for (const std::uint32_t back : {1U, 2U, 3U}) EXPECT_TRUE(last.all.has(back)) << back;
  EXPECT_FALSE(last.all.has(4));
}

TEST(CallWaits, OfCallsThatHaveChangedPlacesTheEarlierDoNotWait) {
  const RankLog log = log_of({{}, {0}, {1}});
  EXPECT_EQ(nearest(log, {1, 0, 2}), (Backs{{}, {}, {2}}));
  EXPECT_EQ(nearest(log, {0, no_index, 1}), (Backs{{}, {}})) << "call 1 is missing";
}

TEST(CallWaits, ThroughAComputationThatJoinsMany) {
  RankLog log = log_of({{}, {}, {}, {RankLog::join_bit}});
  log.joins.push_back({static_cast<std::uint32_t>(log.after.size()), 3});
  for (std::uint32_t c = 0; c < 3; ++c) log.after.push_back(c);
  EXPECT_EQ(nearest(log, {0, 1, 2, 3}), (Backs{{}, {}, {}, {1, 2, 3}}));
  EXPECT_EQ(nearest(log, {0, 1, 3, 2}), (Backs{{}, {}, {1, 2}, {}})) << "one call of the join comes after it";
}

TEST(CallWaits, ADrawnCallWaitsForItsOwnWhateverItsTokenLost) {
  const WorkloadProfile profile{.lanes = {{NodeLane::Kind::type, 7}},
                                .classes = {{.type = NodeType::comm_coll}},
                                .tokens = {{}, {.deps = {{}}}}};
  DrawnRank drawn(profile);
  const std::vector<std::uint32_t> none, last = {1}, both = {1, 2};
  drawn.add_call(0, {}, 0, true, none);
  drawn.add_call(0, {}, 0, true, last);  // its token waits for nothing
  drawn.add_call(1, {}, 0, true, both);  // its token waits for the last call, and that for the first
  ASSERT_EQ(drawn.deps().size(), 2U);
  EXPECT_EQ(drawn.deps()[0].node, 0U);
  EXPECT_EQ(drawn.deps()[0].kinds, 2);
  EXPECT_EQ(drawn.deps()[1].node, 1U);
  EXPECT_EQ(drawn.deps()[1].kinds, 1);
}

ProfileClass all_reduce(std::int64_t size) { return {.type = NodeType::comm_coll, .collective = 0, .size = size}; }

TEST(CallSizes, AreToldFromKCallsOn) {
  CallSizes sizes;
  sizes.add(all_reduce(1000), 2, 16);
  sizes.add(all_reduce(2000), 1, 8);  // on eight ranks
  sizes.settle(2);
  EXPECT_TRUE(sizes.told(all_reduce(1000)));
  EXPECT_FALSE(sizes.told(all_reduce(2000)));
  // Too few calls are rare: the pool are all calls that differ only in size.
  ASSERT_EQ(sizes.pool(all_reduce(2000)), 0U);
  EXPECT_EQ(sizes.pools().front(), (std::vector<SizeCluster>{{1300, 3}}));
}

TEST(CallSizes, OfARareTypeAreLikeTheNearestOfOthers) {
  CallSizes sizes;
  ProfileClass broadcast = all_reduce(4096);
  broadcast.collective = 5;
  sizes.add(broadcast, 1, 8);
  sizes.add(all_reduce(1024), 3, 24);
  sizes.add(all_reduce(std::int64_t{1} << 30), 3, 24);
  sizes.settle(2);
  ASSERT_EQ(sizes.pool(broadcast), 0U);
  EXPECT_EQ(sizes.pools().front(), (std::vector<SizeCluster>{{2000, 2}})) << "about √(4096 · 1024), two digits";
}

TEST(CallSizes, WhatStandsOnFewerThanKNodesHasNone) {
  CallSizes sizes;
  sizes.add(all_reduce(7), 1, 1);
  ProfileClass other = all_reduce(9);
  other.details.dtype = "Float";
  sizes.add(other, 5, 5);
  sizes.settle(2);
  EXPECT_EQ(sizes.pool(all_reduce(7)), no_index);
}

}  // namespace
}  // namespace convert
