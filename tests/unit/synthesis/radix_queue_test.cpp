// SPDX-License-Identifier: MIT
#include "synthesis/radix_queue.h"

#include <gtest/gtest.h>

#include <map>

#include "unit/synthesis/random_graphs.h"

namespace convert {
namespace {

using Numbers = std::vector<std::uint32_t>;

TEST(RadixQueueTest, GivesAllOfATimeInTheOrderInWhichTheyWerePushed) {
  RadixQueue queue;
  Numbers all;
  EXPECT_TRUE(queue.empty());
  for (const std::uint32_t what : {3U, 1U, 2U}) queue.push(7, what);
  queue.push(5, 9);
  EXPECT_EQ(queue.take(all), 5);
  EXPECT_EQ(all, Numbers{9});
  queue.push(7, 0);
  EXPECT_EQ(queue.take(all), 7);
  EXPECT_EQ(all, (Numbers{3, 1, 2, 0}));
  EXPECT_TRUE(queue.empty());
  queue.push(7, 4);  // again at the time taken last
  queue.push(INT64_MAX, 6);
  EXPECT_EQ(queue.take(all), 7);
  EXPECT_EQ(all, Numbers{4});
  EXPECT_EQ(queue.take(all), INT64_MAX);
  EXPECT_EQ(all, Numbers{6});
  EXPECT_TRUE(queue.empty());
}

TEST(RadixQueueTest, IsInTheOrderOfTimes) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SynthesisDraw draw(seed);
    RadixQueue queue;
    std::map<Picoseconds, Numbers> wanted;
    Picoseconds now = 0;
    for (std::uint32_t what = 0; what < 400;) {
      for (std::uint32_t more = draw.below(4); more > 0; --more) {
        const Picoseconds time = now + (Picoseconds{draw.below(20)} << draw.below(40));
        queue.push(time, what);
        wanted[time].push_back(what++);
      }
      ASSERT_EQ(queue.empty(), wanted.empty());
      if (wanted.empty()) continue;
      Numbers all;
      now = queue.take(all);
      ASSERT_EQ(now, wanted.begin()->first);
      ASSERT_EQ(all, wanted.begin()->second);
      wanted.erase(wanted.begin());
    }
  }
}

}  // namespace
}  // namespace convert
