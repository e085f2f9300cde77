// SPDX-License-Identifier: MIT
#include "core/spelling.h"

#include <gtest/gtest.h>

#include "core/algorithm.h"
#include "core/collective_type.h"

namespace convert {
namespace {

TEST(Spelling, CaseAndSeparatorsDoNotCount) {
  for (const char* text : {"all_reduce", "allreduce", "AllReduce", "ALL_REDUCE", "all-reduce", "_allreduce-"})
    EXPECT_TRUE(same_name(text, "all_reduce")) << text;
  for (const char* text : {"all_reduc", "all_reduces", "", "reduce_all", "all reduce"})
    EXPECT_FALSE(same_name(text, "all_reduce")) << text;
  EXPECT_TRUE(same_name("", "_"));
}

TEST(Spelling, CollectivesAreReadInEverySpellingAndWrittenInOne) {
  for (const char* text : {"reduce_scatter", "reducescatter", "ReduceScatter", "REDUCE_SCATTER"}) {
    EXPECT_EQ(parse_collective_type(text), CollectiveType::reduce_scatter) << text;
    EXPECT_EQ(parse_collective(text), Collective::reduce_scatter) << text;
  }
  EXPECT_EQ(name(CollectiveType::all_to_all), "all_to_all");
  EXPECT_EQ(parse_collective_type("reduce_scatter_blocks"), std::nullopt);
}

}  // namespace
}  // namespace convert
