// SPDX-License-Identifier: MIT
#include "sets/world_sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace convert {
namespace {

using Said = std::tuple<Rank, std::string, std::optional<Rank>>;

// "w.2: message", or the number on which all agree.
std::string sizes_told(const std::vector<Said>& all) {
  WorldSizes sizes;
  for (const auto& [rank, file, world] : all) sizes.add(rank, file, world);
  Diagnostics diagnostics;
  sizes.warn_if_they_differ(diagnostics);
  EXPECT_EQ(diagnostics.warnings(), sizes.differ() ? 1U : 0U);
  if (sizes.differ()) return diagnostics.all()[0].where.file + ": " + diagnostics.all()[0].message;
  return sizes.first() ? std::to_string(*sizes.first()) : "";
}

TEST(WorldSizes, ThatAgree) {
  EXPECT_EQ(sizes_told({}), "");
  EXPECT_EQ(sizes_told({{0, "w.0", std::nullopt}}), "");
  EXPECT_EQ(sizes_told({{0, "w.0", std::nullopt}, {1, "w.1", 8}, {2, "w.2", 8}, {1, "w.1", 8}}), "8");
}

TEST(WorldSizes, ThatDifferAreToldAlikeInAnyOrder) {
  std::vector<Said> all = {{0, "w.0", std::nullopt}, {1, "w.1", 8}, {2, "w.2", 8}, {3, "w.3", 4}, {4, "w.4", 2}};
  do {
    ASSERT_EQ(sizes_told(all),
              "w.3: the metadata of rank 3 states world_size 4, but the metadata of rank 1 (w.1) states 8: they "
              "belong to different sets");
  } while (std::next_permutation(all.begin(), all.end()));
}

TEST(WorldSizes, OfOneFile) {
  EXPECT_EQ(sizes_told({{1, "set.jsonl", 4}, {0, "set.jsonl", 8}}),
            "set.jsonl: the metadata of rank 1 states world_size 4, but the metadata of rank 0 states 8: they "
            "belong to different sets");
}

}  // namespace
}  // namespace convert
