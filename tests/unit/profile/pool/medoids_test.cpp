// SPDX-License-Identifier: MIT
#include "profile/pool/medoids.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace convert {
namespace {

using Points = std::vector<double>;
using Places = std::vector<std::size_t>;

DistanceTable on_a_line(const Points& points) {
  DistanceTable out(points.size());
  for (std::size_t a = 0; a < points.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) out.set(a, b, std::abs(points[a] - points[b]));
  }
  return out;
}

double cost_of_medoids(const DistanceTable& d, const Places& medoids) {
  double sum = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    double nearest = d(i, medoids[0]);
    for (const std::size_t m : medoids) nearest = std::min(nearest, d(i, m));
    sum += nearest;
  }
  return sum;
}

// BUILD takes 2, then 11, at a total cost of 5; SWAP replaces 2 by 1.
TEST(Medoids, TwoGroupsOnALine) {
  const DistanceTable d = on_a_line({0, 1, 2, 10, 11, 12});
  const Clustering c = k_medoids(d, 2);
  EXPECT_EQ(c.medoids, (Places{1, 4}));
  EXPECT_EQ(c.of, (Places{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(c.members(1), (Places{3, 4, 5}));
  const Points expected = {9.5 / 11, 9.0 / 10, 7.5 / 9, 7.5 / 9, 9.0 / 10, 9.5 / 11};
  const Points found = silhouettes(d, c);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(found[i], expected[i]) << i;
  EXPECT_NEAR(mean_silhouette(d, c), 0.865657, 1e-6);
}

TEST(Medoids, LargeClustersComeFirst) {
  const Clustering c = k_medoids(on_a_line({50, 0, 1, 51, 52, 100}), 3);
  EXPECT_EQ(c.medoids, (Places{3, 1, 5}));
  EXPECT_EQ(c.of, (Places{0, 1, 1, 0, 0, 2}));
}

TEST(Medoids, AsManyClustersAsThings) {
  const DistanceTable d = on_a_line({3, 1, 2});
  const Clustering c = k_medoids(d, 3);
  EXPECT_EQ(c.of, (Places{0, 1, 2}));
  EXPECT_EQ(silhouettes(d, c), (Points{0, 0, 0}));
}

TEST(Medoids, OneClusterHasTheMiddle) {
  const DistanceTable d = on_a_line({0, 1, 2, 3, 100});
  const Clustering c = k_medoids(d, 1);
  EXPECT_EQ(c.medoids, Places{2});
  EXPECT_EQ(mean_silhouette(d, c), 0);
}

// Among equal things, the first ones are their own medoids, so no cluster is empty.
TEST(Medoids, EqualThings) {
  const DistanceTable d(4);
  const Clustering c = k_medoids(d, 3);
  EXPECT_EQ(c.medoids, (Places{0, 1, 2}));
  EXPECT_EQ(c.of, (Places{0, 1, 2, 0}));
  EXPECT_EQ(mean_silhouette(d, c), 0);
}

// Replacing a medoid by any other thing does not reduce the distances.
TEST(Medoids, NoSwapIsBetter) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 3 + random() % 8, k = 1 + random() % (n - 1);
    DistanceTable d(n);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < a; ++b) d.set(a, b, static_cast<double>(random() % 20));
    }
    const Clustering c = k_medoids(d, k);
    ASSERT_EQ(c.medoids.size(), k);
    const double least = cost_of_medoids(d, c.medoids);
    for (std::size_t m = 0; m < k; ++m) {
      ASSERT_EQ(c.of[c.medoids[m]], m);
      for (std::size_t other = 0; other < n; ++other) {
        Places changed = c.medoids;
        changed[m] = other;
        ASSERT_GE(cost_of_medoids(d, changed), least - 1e-6);
      }
    }
  }
}

std::size_t found(const DistanceTable& d, double alike = 0.25) { return best_clustering(d, alike).medoids.size(); }

TEST(Medoids, AsManyClustersAsStandOut) {
  EXPECT_EQ(found(on_a_line({0, 1, 2, 10, 11, 12})), 2U);
  EXPECT_EQ(found(on_a_line({0, 1, 10, 11, 20, 21, 30, 31})), 4U);
  Points many;  // more groups than are searched
  for (int group = 0; group < 12; ++group) many.insert(many.end(), {100.0 * group, 100.0 * group + 1});
  EXPECT_EQ(found(on_a_line(many)), 10U);
}

TEST(Medoids, OneClusterWhereNothingStandsOut) {
  DistanceTable same(6);
  for (std::size_t a = 0; a < 6; ++a) {
    for (std::size_t b = 0; b < a; ++b) same.set(a, b, 5);
  }
  EXPECT_EQ(found(same), 1U);                                  // silhouettes are 0
  EXPECT_EQ(found(on_a_line({0, 0.01, 0.2, 0.21})), 1U);       // all are equal
  EXPECT_EQ(found(on_a_line({0, 0.01, 0.2, 0.21}), 0.1), 2U);  // or not
  EXPECT_EQ(found(on_a_line({0, 100})), 1U);                   // two clusters of two things are not significant
  EXPECT_EQ(found(on_a_line({5})), 1U);
  EXPECT_EQ(found(DistanceTable(20)), 1U);
}

}  // namespace
}  // namespace convert
