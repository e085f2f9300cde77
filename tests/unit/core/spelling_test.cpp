// SPDX-License-Identifier: MIT
#include "core/spelling.h"

#include <gtest/gtest.h>

#include "core/algorithm/algorithm.h"
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
  for (int c = 0; c <= static_cast<int>(Collective::recv); ++c) {
    const auto collective = static_cast<Collective>(c);
    EXPECT_EQ(parse_collective(name(collective)), collective);
    EXPECT_EQ(parse_collective(msccl_name(collective)), collective);
    const auto type = parse_collective_type(name(collective));
    if (type) {
      EXPECT_EQ(name(*type), name(collective)) << "one name for both";
    }
  }
}

TEST(Spelling, ShortForms) {
  for (const char* text : {"a2a", "A2A", "all2all", "All-2-All"}) {
    EXPECT_EQ(parse_collective(text), Collective::alltoall) << text;
    EXPECT_EQ(parse_collective_type(text), CollectiveType::all_to_all) << text;
  }
  EXPECT_EQ(parse_collective("bcast"), Collective::broadcast);
  EXPECT_EQ(parse_collective("a2av"), Collective::alltoallv);
  EXPECT_EQ(parse_collective("2"), std::nullopt);
}

}  // namespace
}  // namespace convert
