// SPDX-License-Identifier: MIT
#include "analyze/diff/match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "analyze/diff/lcs.h"

namespace convert {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

Pairs common(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  Pairs pairs;
  for_each_common(a, b, [&](std::size_t i, std::size_t j) { pairs.emplace_back(i, j); });
  return pairs;
}

std::size_t longest(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::vector<std::vector<std::size_t>> l(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j)
      l[i + 1][j + 1] = a[i] == b[j] ? l[i][j] + 1 : std::max(l[i][j + 1], l[i + 1][j]);
  }
  return l[a.size()][b.size()];
}

TEST(Common, IsTheLongest) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const auto draw = [&](std::size_t most, std::uint32_t kinds) {
      std::vector<std::uint32_t> v(random() % most);
      for (std::uint32_t& x : v) x = static_cast<std::uint32_t>(random() % kinds);
      return v;
    };
    const auto kinds = static_cast<std::uint32_t>(1 + random() % 9);
    const auto a = draw(200, kinds), b = draw(200, kinds);
    const Pairs pairs = common(a, b);
    EXPECT_EQ(pairs.size(), longest(a, b));
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      EXPECT_EQ(a[pairs[k].first], b[pairs[k].second]);
      EXPECT_TRUE(k == 0 || (pairs[k - 1].first < pairs[k].first && pairs[k - 1].second < pairs[k].second));
    }
  }
}

TEST(Common, GoesOnBeyondTheWindow) {
  std::vector<std::uint32_t> a(3 * lcs_window);
  std::iota(a.begin(), a.end(), 0U);
  std::vector<std::uint32_t> b(a.begin() + 100, a.end());
  EXPECT_EQ(common(a, b).size(), b.size());
  EXPECT_TRUE(common(a, {}).empty());
}

Matchable node(NodeId id, std::uint32_t name, std::uint32_t type = 4) {
  return {.id = id, .type = type, .name = name};
}

std::vector<std::uint32_t> match(const std::vector<Matchable>& a, const std::vector<Matchable>& b) {
  std::vector<std::uint32_t> order_a(a.size()), order_b(b.size());
  std::iota(order_a.begin(), order_a.end(), 0U);
  std::iota(order_b.begin(), order_b.end(), 0U);
  return match_nodes(a, order_a, b, order_b).b_of_a;
}

using Found = std::vector<std::uint32_t>;

TEST(Match, ByIdTypeAndNameFirst) {
  EXPECT_EQ(match({node(1, 0), node(2, 0)}, {node(2, 0), node(1, 0)}), (Found{1, 0}));
  EXPECT_EQ(match({node(1, 0, 4)}, {node(1, 0, 5)}), (Found{no_index}));
}

TEST(Match, CollectivesByGroupAndNumber) {
  const auto call = [](NodeId id, std::uint32_t name, std::uint64_t group) {
    return Matchable{.id = id, .type = 7, .name = name, .meets = Matchable::Meets::group, .partner = group};
  };
  EXPECT_EQ(match({call(1, 0, 9), call(2, 1, 8), call(3, 2, 9)}, {call(11, 5, 8), call(12, 6, 9), call(13, 7, 9)}),
            (Found{1, 0, 2}));
}

TEST(Match, MessagesByPartnerTagAndNumber) {
  const auto send = [](NodeId id, std::uint64_t to, std::int64_t tag) {
    return Matchable{.id = id,
                     .type = 5,
                     .name = static_cast<std::uint32_t>(id),
                     .meets = Matchable::Meets::receiver,
                     .partner = to,
                     .tag = tag};
  };
  EXPECT_EQ(match({send(1, 3, 0), send(2, 3, 0), send(3, 3, 1)}, {send(7, 3, 1), send(8, 3, 0), send(9, 4, 0)}),
            (Found{1, no_index, 0}));
}

TEST(Match, ByNameAndNumberThenByOrder) {
  // All ids are new: occurrence k of a name matches occurrence k.
  EXPECT_EQ(match({node(1, 0), node(2, 1), node(3, 0)}, {node(11, 0), node(12, 0), node(13, 1)}), (Found{0, 2, 1}));
  // Ids 2 and 3 match; the remaining nodes match in order, though their occurrence numbers differ.
  EXPECT_EQ(match({node(1, 0), node(2, 0), node(3, 0)}, {node(2, 0), node(3, 0), node(4, 0)}), (Found{2, 0, 1}));
}

TEST(Match, OfTwoNodesWithOneIdTheFirst) {
  EXPECT_EQ(match({node(1, 0), node(1, 0)}, {node(1, 0), node(1, 0)}), (Found{0, 1}));
}

}  // namespace
}  // namespace convert
