// SPDX-License-Identifier: MIT
#include "passes/link/match/align.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string_view>
#include <vector>

#include "sanitized.h"

namespace convert {
namespace {

// A random number below `end`.
std::uint32_t some(std::mt19937& random, std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); }

std::vector<std::uint32_t> tokens(std::string_view text) { return {text.begin(), text.end()}; }

// Returns the length of a longest common subsequence, by dynamic programming.
std::size_t common(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (const std::uint32_t t : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = t == b[j] ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  }
  return row.back();
}

void expect_aligned(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                    const std::vector<TokenPair>& pairs) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    ASSERT_LT(pairs[i].a, a.size());
    ASSERT_LT(pairs[i].b, b.size());
    ASSERT_EQ(a[pairs[i].a], b[pairs[i].b]);
    if (i == 0) continue;
    ASSERT_GT(pairs[i].a, pairs[i - 1].a);
    ASSERT_GT(pairs[i].b, pairs[i - 1].b);
  }
}

TEST(Align, SmallOnesByHand) {
  EXPECT_EQ(align(tokens("abc"), tokens("xaybzc")), (std::vector<TokenPair>{{0, 1}, {1, 3}, {2, 5}}));
  EXPECT_EQ(align(tokens("aa"), tokens("aaaa")), (std::vector<TokenPair>{{0, 0}, {1, 1}}));  // the first ones
  EXPECT_EQ(align(tokens("abcd"), tokens("bd")), (std::vector<TokenPair>{{1, 0}, {3, 1}}));
  EXPECT_TRUE(align(tokens("abc"), tokens("")).empty());
  EXPECT_TRUE(align(tokens("abc"), tokens("xyz")).empty());
}

TEST(Align, FindsAsManyPairsAsThereAre) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint32_t> a(some(random, 40)), b(some(random, 40));
    const unsigned letters = 1 + some(random, 6);
    for (std::uint32_t& t : a) t = some(random, letters);
    for (std::uint32_t& t : b) t = some(random, letters);
    const auto pairs = align(a, b);
    expect_aligned(a, b, pairs);
    EXPECT_EQ(pairs.size(), common(a, b));
  }
}

TEST(Align, LongOnesThatDifferInFewPlaces) {
  std::mt19937 random(11);
  std::vector<std::uint32_t> a, b;
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i < 200'000; ++i) {
    const std::uint32_t t = i % 97;  // repetitive
    const unsigned fate = some(random, 1000);
    if (fate != 0) a.push_back(t);
    if (fate != 1) b.push_back(t);
    kept += fate > 1 ? 1U : 0U;
    if (fate == 2) b.insert(b.end(), 20, 1000 + i);
  }
  const auto pairs = align(a, b);
  expect_aligned(a, b, pairs);
  EXPECT_GE(pairs.size(), kept * 999 / 1000);
}

// Sequences without common elements: a table would have 10^12 cells.
TEST(Align, StrangersTakeNoLongerThanTheyAreLong) {
  std::mt19937 random(3);
  constexpr std::size_t length = test::rounds(1'000'000U);
  std::vector<std::uint32_t> a(length), b(length);
  for (std::uint32_t& t : a) t = some(random, 2);
  for (std::uint32_t& t : b) t = some(random, 3);
  expect_aligned(a, b, align(a, b));
  std::fill(a.begin(), a.end(), 5U);
  EXPECT_TRUE(align(a, b).empty());
  a[length / 2] = 0;
  expect_aligned(a, b, align(a, b));
  EXPECT_GT(find_place(b, b).pairs.size(), 100U);
}

TEST(FindPlace, APartLiesWhereItWasCutOut) {
  std::mt19937 random(5);
  std::vector<std::uint32_t> all(5000);
  for (std::uint32_t& t : all) t = some(random, 10);
  const std::vector<std::uint32_t> part(all.begin() + 2100, all.begin() + 2600);
  const Alignment place = find_place(part, all);
  EXPECT_EQ(place.alike, 1U);
  ASSERT_FALSE(place.pairs.empty());
  for (const TokenPair& p : place.pairs) EXPECT_EQ(p.b, p.a + 2100);
  const Alignment other_way = find_place(all, part);
  EXPECT_EQ(other_way.alike, 1U);
  for (const TokenPair& p : other_way.pairs) EXPECT_EQ(p.a, p.b + 2100);
}

TEST(FindPlace, EqualPlacesAreCountedAndTheFirstIsTaken) {
  std::vector<std::uint32_t> step(100), all;
  for (std::uint32_t i = 0; i < 100; ++i) step[i] = i * i % 31;
  for (int i = 0; i < 7; ++i) all.insert(all.end(), step.begin(), step.end());
  const Alignment place = find_place(step, all);
  EXPECT_EQ(place.alike, 7U);
  for (const TokenPair& p : place.pairs) EXPECT_EQ(p.b, p.a);
  const Alignment whole = find_place(all, all);
  EXPECT_EQ(whole.alike, 1U);
  for (const TokenPair& p : whole.pairs) EXPECT_EQ(p.b, p.a);
}

TEST(FindPlace, NothingIsAlike) { EXPECT_TRUE(find_place(tokens("abc"), tokens("xyz")).pairs.empty()); }

TEST(LongestAscending, IsStrict) {
  const std::vector<std::uint32_t> values{5, 1, 2, 2, 9, 3, 4, 4, 0};
  EXPECT_EQ(longest_ascending(values).size(), 4U);  // 1 2 3 4
  EXPECT_TRUE(longest_ascending({}).empty());
}

}  // namespace
}  // namespace convert
