// SPDX-License-Identifier: MIT
#include "synthesis/exact/branchings.h"

#include <gtest/gtest.h>

#include <numeric>

namespace {

using namespace convert;

std::vector<BranchingEdge> both_ways(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  std::vector<BranchingEdge> edges;
  for (const auto& [a, b] : pairs) {
    edges.push_back({.from = a, .to = b, .capacity = 1});
    edges.push_back({.from = b, .to = a, .capacity = 1});
  }
  return edges;
}

TEST(BranchingsTest, UseEachEdgeOfARingOnce) {
  const auto edges = both_ways({{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  const std::vector<std::uint32_t> roots = {0};
  for (const std::uint64_t seed : {0, 1, 2, 3, 4, 5}) {
    const auto packed = pack_branchings(4, edges, roots, 2, {.together = seed % 2 == 0, .seed = seed / 2});
    ASSERT_TRUE(packed);
    ASSERT_EQ(packed->size(), 2U);
    std::vector<int> used(edges.size(), 0);
    for (const Branching& b : *packed) {
      EXPECT_EQ(b.count, 1);
      ASSERT_EQ(b.edges.size(), 3U);
      for (const std::uint32_t e : b.edges) EXPECT_EQ(++used[e], 1);
    }
  }
}

TEST(BranchingsTest, KeepTreesTogetherThatAreAlike) {
  std::vector<BranchingEdge> edges = {{0, 1, 5, 1}, {1, 2, 5, 1}};
  const std::vector<std::uint32_t> roots = {0};
  const auto packed = pack_branchings(3, edges, roots, 5, {});
  ASSERT_TRUE(packed);
  ASSERT_EQ(packed->size(), 1U);
  EXPECT_EQ(packed->front().count, 5);
  EXPECT_EQ(packed->front().edges, (std::vector<std::uint32_t>{0, 1}));
}

TEST(BranchingsTest, TakeTheNearestNodesFirst) {
  // Both orders; the long edge is the last.
  const std::vector<BranchingEdge> edges = {{0, 1, 1, 10}, {0, 2, 1, 1}, {2, 1, 1, 1}};
  const std::vector<std::uint32_t> roots = {0};
  const auto packed = pack_branchings(3, edges, roots, 1, {});
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed->front().edges, (std::vector<std::uint32_t>{1, 2}));
}

TEST(BranchingsTest, AreNoneWhereEdgesAreTooFew) {
  const auto edges = both_ways({{0, 1}, {1, 2}});
  const std::vector<std::uint32_t> all = {0, 1, 2}, one = {1};
  EXPECT_FALSE(pack_branchings(3, edges, all, 1, {}));
  EXPECT_FALSE(pack_branchings(3, edges, one, 2, {}));
  EXPECT_TRUE(pack_branchings(3, edges, one, 1, {}));
}

}  // namespace
