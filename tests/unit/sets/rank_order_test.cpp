// SPDX-License-Identifier: MIT
#include "sets/rank_order.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/expect_error.h"

namespace convert {
namespace {

TEST(RankOrder, HandsOnAscending) {
  RankOrder<std::string> order("a.tar");
  std::vector<std::string> seen;
  const auto see = [&](Rank rank, std::string&& text) { seen.push_back(std::to_string(rank) + text); };
  order.add(2, "c", see);
  order.add(0, "a", see);
  EXPECT_EQ(seen, (std::vector<std::string>{"0a"}));
  order.add(1, "b", see);
  EXPECT_EQ(seen, (std::vector<std::string>{"0a", "1b", "2c"}));
  order.add(5, "f", see);
  order.add(4, "e", see);
  EXPECT_EQ(seen.size(), 3U);
  order.finish(see);
  EXPECT_EQ(seen, (std::vector<std::string>{"0a", "1b", "2c", "4e", "5f"}));
}

TEST(RankOrder, RefusesARankThatComesTwice) {
  RankOrder<std::string> order("a.tar");
  const auto ignore = [](Rank, std::string&&) {};
  order.add(0, "a", ignore);
  order.add(2, "c", ignore);
  for (const Rank again : {0U, 2U}) {
    const Error error = test::thrown_error([&] { order.add(again, "x", ignore); });
    EXPECT_EQ(error.where().file, "a.tar");
    EXPECT_EQ(std::string(error.what()), "rank " + std::to_string(again) + " is repeated");
  }
}

}  // namespace
}  // namespace convert
