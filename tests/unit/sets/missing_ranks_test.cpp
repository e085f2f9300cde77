// SPDX-License-Identifier: MIT
#include "sets/missing_ranks.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "core/world_size.h"

namespace convert {
namespace {

// The warning without the set's name, the rule and the hint; empty if there is no warning.
std::string missing_told(const std::vector<Rank>& present, std::optional<Rank> world,
                         const GroupLists* groups = nullptr) {
  Diagnostics diagnostics;
  warn_of_missing_ranks("w", present, world, groups, subset_hint("w.0.et"), diagnostics);
  EXPECT_EQ(diagnostics.errors(), 0U);
  EXPECT_LE(diagnostics.warnings(), 1U);
  return diagnostics.all().empty() ? "" : diagnostics.all()[0].message;
}

TEST(MissingRanks, OfTheWorld) {
  EXPECT_EQ(missing_told({0, 1, 2}, std::nullopt), "");
  EXPECT_EQ(missing_told({0, 1, 2}, 3), "");
  EXPECT_EQ(missing_told({0, 1, 2}, 2), "");
  EXPECT_EQ(missing_told({0, 1, 2}, 4), "rank 3 is missing: the whole set has 4 ranks");
  EXPECT_EQ(missing_told({1, 2, 5}, 8), "ranks 0, 3-4, 6-7 are missing: the whole set has 8 ranks");
  EXPECT_EQ(missing_told({0}, 0x7fffffff), "ranks 1-2147483646 are missing: the whole set has 2147483647 ranks");
}

TEST(MissingRanks, OfGroups) {
  const GroupLists whole = {{"1", {2, 0}}, {"2", {1}}};
  EXPECT_EQ(missing_told({0, 1, 2}, std::nullopt, &whole), "");
  const GroupLists one = {{"1", {0, 1}}, {"7", {0, 9}}};
  EXPECT_EQ(missing_told({0, 1}, std::nullopt, &one), "rank 9 is missing: process group 7 names it");
  const GroupLists several = {{"0", {0, 1, 2, 3}}, {"1", {3, 2}}, {"2", {0, 1}}};
  EXPECT_EQ(missing_told({0, 1}, std::nullopt, &several), "ranks 2-3 are missing: process groups 0, 1 name them");
  EXPECT_EQ(missing_told({0, 1}, 4, &several),
            "ranks 2-3 are missing: the whole set has 4 ranks, and process groups 0, 1 name them");
  EXPECT_EQ(missing_told({0, 1}, 3, &several),
            "ranks 2-3 are missing: the whole set has 3 ranks, and process groups 0, 1 name them");
}

TEST(MissingRanks, OfManyTheFirst) {
  std::vector<Rank> present;
  for (Rank r = 0; r < 100; r += 2) present.push_back(r);
  EXPECT_EQ(missing_told(present, 100),
            "ranks 1, 3, 5, 7, 9, 11, 13, 15, … (50 in all) are missing: the whole set has 100 ranks");
  GroupLists groups;
  for (int i = 0; i < 20; ++i) groups["g" + std::to_string(10 + i)] = {0, 101};
  EXPECT_EQ(missing_told({0}, std::nullopt, &groups),
            "rank 101 is missing: process groups g10, g11, g12, g13, g14, g15, g16, g17, … name it");
}

TEST(WorldSize, IsReplacedInItsPlace) {
  Metadata m;
  EXPECT_EQ(world_size(m), std::nullopt);
  set_world_size(m, 8);
  m.table.add_string(attr::schema, "x");
  set_world_size(m, 4);
  EXPECT_EQ(m.table.attrs.size(), 2U);
  EXPECT_EQ(m.table.attrs[0].bits, 4U);
  EXPECT_EQ(world_size(m), 4U);
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31U}) {
    m.table.attrs[0].bits = static_cast<std::uint64_t>(bad);
    EXPECT_EQ(world_size(m), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace convert
