// SPDX-License-Identifier: MIT
#include "analyze/runs/certainty.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

TEST(Certainty, SharesAreOfTheTimeOfAllNpus) {
  convert::Run run;
  const auto add = [&](const char* source, std::uint32_t npus, Picoseconds begin, Picoseconds end, double error) {
    run.calls.push_back({.npus = npus,
                         .source = *source == '\0' ? no_index : run.texts.add(source),
                         .error_pct = error,
                         .begin_ps = 0,
                         .last_begin_ps = begin,
                         .end_ps = end});
  };
  EXPECT_TRUE(certainty_of(run).origins.empty());
  add("", 8, 0, 1000, -1);  // of another network
  EXPECT_TRUE(certainty_of(run).origins.empty());
  add("model", 2, 10, 60, 8);
  add("measured", 8, 0, 25, 1);
  add("measured", 8, 20, 45, 3);
  add("measured", 8, 20, -1, 3);  // not ended
  const Certainty sure = certainty_of(run);
  ASSERT_EQ(sure.origins.size(), 2U);
  EXPECT_EQ(sure.origins[0].source, "measured");
  EXPECT_EQ(sure.origins[0].calls, 2U);
  EXPECT_DOUBLE_EQ(sure.origins[0].share, 0.8);
  EXPECT_DOUBLE_EQ(sure.origins[0].error_pct, 2);
  EXPECT_DOUBLE_EQ(sure.origins[1].error_pct, 8);
  EXPECT_DOUBLE_EQ(sure.error_pct, 0.8 * 2 + 0.2 * 8);
}

TEST(Certainty, AnUnknownErrorMakesTheSumUnknown) {
  convert::Run run;
  for (const double error : {1.0, -1.0})
    run.calls.push_back({.npus = 2, .source = run.texts.add("model"), .error_pct = error, .end_ps = 10});
  EXPECT_EQ(certainty_of(run).error_pct, -1);
}

}  // namespace
}  // namespace convert
