// SPDX-License-Identifier: MIT
#include "core/rank_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/diagnostic.h"

namespace convert::test {
namespace {

TEST(RankList, IsReadInAnyOrder) {
  EXPECT_EQ(parse_ranks("0-3,8"), (std::vector<Rank>{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_ranks("8,2-2"), (std::vector<Rank>{2, 8}));
}

TEST(RankList, IsRefusedWhereItIsNone) {
  for (const char* list : {"", ",", "0,", "0,,2", "-1", "1-", "3-1", "01", "0 1", "x", "0-16777216", "1,0-2"})
    EXPECT_THROW((void)parse_ranks(list), Error) << list;
}

TEST(RankList, IsToldByRanges) {
  EXPECT_EQ(ranks_text(std::vector<Rank>{7}), "rank 7");
  EXPECT_EQ(ranks_text(std::vector<Rank>{0, 4, 5, 6}), "ranks 0, 4-6");
  EXPECT_EQ(ranks_text(std::vector<Rank>{1, 3, 5, 7, 9, 11, 13, 15, 17, 18}),
            "ranks 1, 3, 5, 7, 9, 11, 13, 15, … (10 in all)");
}

}  // namespace
}  // namespace convert::test
