// SPDX-License-Identifier: MIT
#include "passes/scale/spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace convert {
namespace {

// Expected maximum of n: exactly 1/sqrt(pi) for two, 1.7660 for 16 and 3.2414 for 1,000 according to tables (Harter
// 1961).
TEST(Spread, TheLargestOfManyNormalNumbers) {
  EXPECT_EQ(expected_largest(0), 0);
  EXPECT_EQ(expected_largest(1), 0);
  EXPECT_NEAR(expected_largest(2), 0.5642, 0.03);
  EXPECT_NEAR(expected_largest(16), 1.7660, 0.01);
  EXPECT_NEAR(expected_largest(1000), 3.2414, 0.02);
}

TEST(Spread, ALognormalIsFitted) {
  const std::vector<double> work = {100, 110, 90, 100, 200, 220, 180, 200};
  const RankSpread s = rank_spread(work, 2);
  EXPECT_NEAR(s.largest, 1.1, 1e-12);
  const double squares = 2 * (std::pow(std::log(1.1), 2) + std::pow(std::log(0.9), 2));
  EXPECT_NEAR(s.sigma, std::sqrt(squares / 6), 1e-12);
  EXPECT_GT(s.expected(1024), s.expected(4));
  EXPECT_EQ(s.expected(1), 1);
  EXPECT_EQ(rank_spread(std::vector<double>{5, 5, 5, 5}, 1).sigma, 0);
  EXPECT_EQ(rank_spread(std::vector<double>{0, 0}, 1).sigma, 0);
  EXPECT_EQ(rank_spread({}, 0).sigma, 0);
}

}  // namespace
}  // namespace convert
