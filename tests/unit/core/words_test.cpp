// SPDX-License-Identifier: MIT
#include "core/words.h"

#include <gtest/gtest.h>

#include "core/algorithm/algorithm.h"
#include "core/collective.h"

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
    EXPECT_EQ(parse_collective(text, in_traces), Collective::reduce_scatter) << text;
    EXPECT_EQ(parse_collective(text, in_algorithms), Collective::reduce_scatter) << text;
  }
  EXPECT_EQ(name(Collective::all_to_all), "all_to_all");
  EXPECT_EQ(parse_collective("reduce_scatter_blocks", in_traces), std::nullopt);
  for (int c = 0; c <= static_cast<int>(Collective::recv); ++c) {
    const auto collective = static_cast<Collective>(c);
    const auto wanted = in_traces(collective) ? in_traces : in_algorithms;
    EXPECT_EQ(parse_collective(name(collective), wanted), collective);
    EXPECT_EQ(parse_collective(msccl_name(collective), wanted), collective);
  }
}

TEST(Spelling, ShortForms) {
  for (const char* text : {"a2a", "A2A", "all2all", "All-2-All"}) {
    EXPECT_EQ(parse_collective(text, in_algorithms), Collective::all_to_all) << text;
    EXPECT_EQ(parse_collective(text, in_traces), Collective::all_to_all) << text;
  }
  EXPECT_EQ(parse_collective("bcast", in_algorithms), Collective::broadcast);
  EXPECT_EQ(parse_collective("a2av", in_algorithms), Collective::all_to_allv);
  EXPECT_EQ(parse_collective("2", in_algorithms), std::nullopt);
}

TEST(Spelling, CollectivesOfTracesHaveTheirNumbers) {
  EXPECT_EQ(collective_of(7), Collective::reduce_scatter);
  for (const std::int64_t unknown : {-1LL, 10LL, 1LL << 32U}) EXPECT_EQ(name(collective_of(unknown)), "");
  EXPECT_EQ(parse_collective("barrier", in_algorithms), std::nullopt);
  EXPECT_EQ(parse_collective("custom", in_traces), std::nullopt);
}

}  // namespace
}  // namespace convert
