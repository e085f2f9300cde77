// SPDX-License-Identifier: MIT
#include "profile/learn/clusters.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

WeighedCost lasting(std::uint64_t ns) { return {{.duration_ns = ns}, static_cast<double>(ns)}; }

TEST(Clusters, EachIsTheMeanOfAtLeastK) {
  const CostPool pool = cost_clusters({lasting(10), lasting(40), lasting(20), lasting(90), lasting(50)}, 2);
  ASSERT_EQ(pool.size(), 2U);
  EXPECT_EQ(pool[0].count, 2U);
  EXPECT_EQ(pool[0].mean.duration_ns, 15U);
  EXPECT_EQ(pool[1].count, 3U);
  EXPECT_EQ(pool[1].mean.duration_ns, 60U);
  EXPECT_FLOAT_EQ(pool[0].spread, 0.3F);  // 5 / 15
  EXPECT_FLOAT_EQ(pool[1].spread, 0.4F);  // 21.6 / 60
}

TEST(Clusters, EqualValuesAreOneWithoutSpread) {
  const CostPool pool = cost_clusters(std::vector<WeighedCost>(100, lasting(7)), 2);
  ASSERT_EQ(pool.size(), 1U);
  EXPECT_EQ(pool[0].count, 100U);
  EXPECT_EQ(pool[0].mean.duration_ns, 7U);
  EXPECT_EQ(pool[0].spread, 0.0F);
}

TEST(Clusters, ThereAreFewAndNothingIsLost) {
  std::vector<WeighedCost> values;
  double sum = 0;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    values.push_back(lasting(i * i));
    sum += static_cast<double>(i * i);
    shorten(values, 64);
  }
  EXPECT_LE(values.size(), 64U);
  const CostPool pool = cost_clusters(values, 2);
  EXPECT_LE(pool.size(), most_clusters);
  double again = 0;
  std::uint64_t count = 0;
  for (const CostCluster& c : pool) {
    again += static_cast<double>(c.mean.duration_ns) * c.count;
    count += c.count;
  }
  EXPECT_EQ(count, 1000U);
  EXPECT_NEAR(again / sum, 1, 1e-5);
}

TEST(Clusters, SizesHaveTwoDigits) {
  EXPECT_EQ(two_digits(0), 0);
  EXPECT_EQ(two_digits(99), 99);
  EXPECT_EQ(two_digits(123456), 120000);
  EXPECT_EQ(two_digits(8196000), 8200000);
  const auto sizes = size_clusters({1234, 1250, 777777, 777700}, 2);
  ASSERT_EQ(sizes.size(), 2U);
  EXPECT_EQ(sizes[0], (SizeCluster{1200, 2}));
  EXPECT_EQ(sizes[1], (SizeCluster{780000, 2}));
}

}  // namespace
}  // namespace convert
