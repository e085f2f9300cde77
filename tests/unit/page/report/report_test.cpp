// SPDX-License-Identifier: MIT
#include "page/report/report.h"

#include <gtest/gtest.h>

#include <string>

#include "common/sample_runs.h"
#include "page/page.h"

namespace convert {
namespace {

std::string page_of(const Run& run) {
  std::string text;
  const auto out = memory_output(text);
  write_report_page(run, *out);
  out->close();
  return text;
}

class ReportPage : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_pages()) GTEST_SKIP() << "built without pages";
  }
};

TEST_F(ReportPage, SameRunSameBytes) { EXPECT_EQ(page_of(sample::training({})), page_of(sample::training({}))); }

TEST_F(ReportPage, NamesOfARunNeverStandInItsMarkup) {
  const std::string page = page_of(sample::hostile());
  EXPECT_EQ(page.find("<script>document"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
}

TEST_F(ReportPage, LongNamesAndManySlicesStaySmall) {
  EXPECT_LT(page_of(sample::hostile()).size(), 170'000u);
  EXPECT_LT(page_of(sample::ring(128, 484)).size(), 250'000u);
}

TEST_F(ReportPage, OfNothing) { EXPECT_FALSE(page_of(convert::Run()).empty()); }

// 2^53 ps are 2.5 hours; times of a longer run are in nanoseconds.
TEST_F(ReportPage, OfADay) {
  convert::Run run = sample::training({2, 2, 2, 9});
  const Picoseconds day = 86'400 * 1'000'000'000'000;
  run.timeline.slices[0].end_ps = run.total_ps = run.reached_ps = day;
  EXPECT_FALSE(page_of(run).empty());
}

}  // namespace
}  // namespace convert
