// SPDX-License-Identifier: MIT
#include "passes/verify/values.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace convert {
namespace {

TEST(RankSets, EqualSetsHaveEqualIdsWhateverTheOrder) {
  RankSets sets(10);
  const auto a = sets.unite(sets.unite(sets.single(1), sets.single(2)), sets.single(7));
  const auto b = sets.unite(sets.single(7), sets.unite(sets.single(2), sets.single(1)));
  EXPECT_EQ(a, b);
  EXPECT_EQ(sets.text(a), "1-2,7");
  EXPECT_FALSE(sets.doubled(a));
}

TEST(RankSets, AllRanksOneByOneAreAll) {
  for (const std::uint32_t n : {1U, 2U, 31U, 32U, 33U, 64U, 200U}) {
    RankSets sets(n);
    RankSets::Id sum = sets.single(n - 1);
    for (std::uint32_t r = 0; r + 1 < n; ++r) sum = sets.unite(sum, sets.single(r));
    EXPECT_EQ(sum, sets.all()) << n;
  }
}

TEST(RankSets, OverlapIsMarkedAndStaysMarked) {
  RankSets sets(8);
  const auto a = sets.unite(sets.single(1), sets.single(2));
  const auto twice = sets.unite(a, sets.single(2));
  EXPECT_TRUE(sets.doubled(twice));
  EXPECT_NE(twice, a);
  EXPECT_TRUE(sets.doubled(sets.unite(twice, sets.single(5))));
  EXPECT_EQ(sets.first_common(a, sets.single(2)), 2U);
}

// Compared with std::set, around the switch from runs to bits.
TEST(RankSets, RandomUnionsAgreeWithAPlainSet) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t n = 1 + static_cast<std::uint32_t>(random() % 150);
    RankSets sets(n);
    std::map<std::set<std::uint32_t>, RankSets::Id> known;
    std::set<std::uint32_t> content{0};
    RankSets::Id id = sets.single(0);
    for (int i = 0; i < 100; ++i) {
      const auto r = static_cast<std::uint32_t>(random() % n);
      if (content.contains(r)) {
        EXPECT_TRUE(sets.doubled(sets.unite(id, sets.single(r))));
        content = {r};
        id = sets.single(r);
      } else {
        content.insert(r);
        id = sets.unite(id, sets.single(r));
      }
      EXPECT_EQ(known.try_emplace(content, id).first->second, id);
      for (std::uint32_t q = 0; q < n; ++q) ASSERT_EQ(sets.contains(id, q), content.contains(q));
    }
  }
}

TEST(Values, ReducingTokensOfOneChunkCompletesIt) {
  Values values(3);
  std::uint32_t doubled = 99;
  SlotValue v = values.reduce(values.token(0, 5), values.token(2, 5), doubled);
  EXPECT_EQ(values.text(v), "chunk 5 of ranks 0,2");
  v = values.reduce(values.token(1, 5), v, doubled);
  EXPECT_EQ(v, values.complete(5));
  EXPECT_NE(v, values.complete(4));
  EXPECT_EQ(doubled, 99U);
  const SlotValue twice = values.reduce(v, values.token(1, 5), doubled);
  EXPECT_EQ(doubled, 1U);
  EXPECT_NE(twice, v);
  EXPECT_EQ(values.text(twice), "chunk 5 of ranks 0-2 (some more than once)");
}

TEST(Values, NothingStaysNothing) {
  Values values(2);
  std::uint32_t doubled = 0;
  EXPECT_EQ(values.reduce(nothing, values.token(0, 0), doubled), nothing);
  EXPECT_EQ(values.reduce(values.token(0, 0), nothing, doubled), nothing);
}

TEST(Values, SumsOfDifferentChunksAreKeptApart) {
  Values values(4);
  std::uint32_t doubled = 99;
  const SlotValue v =
      values.reduce(values.reduce(values.token(0, 1), values.token(1, 2), doubled), values.token(3, 1), doubled);
  EXPECT_EQ(values.text(v), "chunk 1 of ranks 0,3 + chunk 2 of rank 1");
  EXPECT_NE(v, values.complete(1));
  const SlotValue again = values.reduce(v, values.token(1, 2), doubled);
  EXPECT_EQ(doubled, 1U);
  EXPECT_EQ(values.text(again), "chunk 1 of ranks 0,3 + chunk 2 of ranks 1 (some more than once)");
}

}  // namespace
}  // namespace convert
