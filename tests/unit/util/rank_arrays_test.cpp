// SPDX-License-Identifier: MIT
#include "util/rank_arrays.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace convert {
namespace {

using U = std::uint32_t;

// Writes each element of each array, and expects to find them all.
void expect_apart(const std::vector<std::size_t>& sizes) {
  RankArrays<U> arrays(sizes);
  for (U r = 0; r < sizes.size(); ++r) {
    for (U i = 0; i < sizes[r]; ++i) {
      EXPECT_EQ(arrays[r][i], 0U);
      arrays[r][i] = 1 + 100'000 * r + i;
    }
  }
  for (U r = 0; r < sizes.size(); ++r) {
    for (U i = 0; i < sizes[r]; ++i) ASSERT_EQ(arrays[r][i], 1 + 100'000 * r + i) << r;
  }
}

TEST(RankArrays, KeepsArraysOfAnySizesApart) {
  expect_apart({});
  expect_apart({0, 0});
  expect_apart({1});
  expect_apart({100, 100, 100});
  expect_apart({100, 0, 3, 97, 16, 17, 15, 5000, 4990, 1});
}

TEST(RankArrays, LinesOfRanksOfOneSizeFollowEachOther) {
  const std::vector<std::size_t> sizes(3, 40);
  RankArrays<U> arrays(sizes);
  const U* const first = &arrays[0][0];
  EXPECT_EQ(&arrays[0][15], first + 15);
  EXPECT_EQ(&arrays[1][0], first + 16);
  EXPECT_EQ(&arrays[2][0], first + 32);
  EXPECT_EQ(&arrays[0][16], first + 48);
  EXPECT_EQ(&arrays[2][39], first + 96 + 32 + 7);
}

TEST(RankArrays, ALongArrayTakesNoRoomForShortOnes) {
  std::vector<std::size_t> sizes(1000, 10);
  sizes[500] = 1'000'000;
  RankArrays<U> arrays(sizes);
  std::set<const U*> lines;
  for (U r = 0; r < sizes.size(); ++r) lines.insert(&arrays[r][0]);
  EXPECT_EQ(*lines.rbegin() - *lines.begin(), 1'000'000 + 998 * 16);  // the long one is first
}

TEST(Stretches, EachElementHasAPlace) {
  for (const std::size_t size : {0U, 1U, 15U, 64U, 1000U, 4099U}) {
    for (const std::size_t stretches : {0U, 1U, 3U, 64U, 5000U}) {
      const Stretches<8> s(size, stretches);
      std::set<U> places;
      for (U i = 0; i < size; ++i) {
        const U place = s.place(i);
        EXPECT_LT(place, s.size()) << size << ' ' << stretches;
        EXPECT_EQ(s.element(place), i) << size << ' ' << stretches;
        places.insert(place);
      }
      EXPECT_EQ(places.size(), size) << size << ' ' << stretches;
    }
  }
  EXPECT_EQ(Stretches<8>().size(), 0U);
}

TEST(Stretches, LieSideBySide) {
  const Stretches<16> s(300, 3);
  EXPECT_EQ(s.size(), 3 * 112U);
  EXPECT_EQ(s.place(0), 0U);
  EXPECT_EQ(s.place(1), 1U);
  EXPECT_EQ(s.place(100), 16U);
  EXPECT_EQ(s.place(200), 32U);
  EXPECT_EQ(s.place(16), 48U);
}

}  // namespace
}  // namespace convert
