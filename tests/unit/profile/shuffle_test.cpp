// SPDX-License-Identifier: MIT
#include "profile/learn/calls/shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace convert {
namespace {

using Numbers = std::vector<std::uint32_t>;

TEST(ShuffleRare, WhatStandsOftenEnoughKeepsItsOrder) {
  const std::vector<CallSequence> sequences(3, {.classes = {5, 6, 5, 7}, .places = {0, 1, 2, 3}});
  std::uint64_t moved = 0;
  for (const auto& order : shuffle_rare(sequences, 3, moved)) EXPECT_EQ(order, (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(moved, 0U);
}

TEST(ShuffleRare, RareCallsChangePlacesOnAllRanksAlike) {
  // Two ranks make the same ten calls, each once: with k = 3, no order is kept.
  CallSequence all{.classes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, .places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  std::uint64_t moved = 0;
  const auto orders = shuffle_rare(std::vector<CallSequence>{all, all}, 3, moved);
  EXPECT_EQ(moved, 20U);
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_FALSE(std::ranges::is_sorted(orders[0]));
  Numbers sorted = orders[0];
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(ShuffleRare, OwnOrdersAreByClass) {
  CallSequence own{.circular = true, .classes = {9, 3, 7}, .places = {0, 1, 2}};
  std::uint64_t moved = 0;
  EXPECT_EQ(shuffle_rare(std::vector<CallSequence>{own}, 2, moved)[0], (Numbers{1, 2, 0}));
}

}  // namespace
}  // namespace convert
