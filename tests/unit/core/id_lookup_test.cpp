// SPDX-License-Identifier: MIT
#include "core/id_lookup.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace convert::test {
namespace {

using Id = std::optional<std::uint64_t>;

TEST(IdLookup, IdsAreFoundWhetherTheyLieCloseOrNot) {
  for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{1} << 40U}) {
    const std::vector<Id> ids = {7 * step, 3 * step, std::nullopt, 7 * step, 5 * step};
    const auto id = [&](std::size_t i) { return ids[i]; };
    const IdLookup first(ids.size(), id);
    EXPECT_EQ(first.find(7 * step), 0U);
    EXPECT_EQ(first.find(3 * step), 1U);
    EXPECT_EQ(first.find(5 * step), 4U);
    EXPECT_EQ(first.find(4 * step), IdLookup::none);
    EXPECT_EQ(first.find(0), IdLookup::none);
    EXPECT_EQ(first.find(~std::uint64_t{0}), IdLookup::none);
    EXPECT_EQ(first.repeated(), 7 * step);
    const IdLookup last(ids.size(), id, IdLookup::Equal::last);
    EXPECT_EQ(last.find(7 * step), 3U);
    EXPECT_EQ(last.find(5 * step), 4U);
  }
}

TEST(IdLookup, WithoutIdsNothingIsFound) {
  for (const IdLookup& empty : {IdLookup(), IdLookup(2, [](std::size_t) { return Id(); })}) {
    EXPECT_EQ(empty.find(0), IdLookup::none);
    EXPECT_EQ(empty.find(~std::uint64_t{0}), IdLookup::none);
    EXPECT_EQ(empty.repeated(), std::nullopt);
  }
}

}  // namespace
}  // namespace convert::test
