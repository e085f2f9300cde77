// SPDX-License-Identifier: MIT
#include "page/compare/compare.h"

#include <gtest/gtest.h>

#include <string>

#include "common/sample_runs.h"
#include "page/page.h"

namespace convert {
namespace {

std::string page_of(const Run& a, const Run& b) {
  std::string text;
  const auto out = memory_output(text);
  write_compare_page(a, b, compare_runs(a, b, {}), {}, *out);
  out->close();
  return text;
}

class ComparePage : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_pages()) GTEST_SKIP() << "built without pages";
  }
};

TEST_F(ComparePage, SameRunsSameBytes) {
  const convert::Run a = sample::training({}), b = sample::training({4, 4, 12, 9});
  EXPECT_EQ(page_of(a, b), page_of(a, b));
  EXPECT_NE(page_of(a, b), page_of(b, a));
}

TEST_F(ComparePage, NamesOfRunsNeverStandInItsMarkup) {
  const std::string page = page_of(sample::hostile(), sample::training({}));
  EXPECT_EQ(page.find("<script>document"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_LT(page.size(), 200'000u);
}

TEST_F(ComparePage, OfNothing) { EXPECT_FALSE(page_of(convert::Run(), convert::Run()).empty()); }

// At most 500 different names are kept.
TEST_F(ComparePage, ManyNamesStaySmall) {
  convert::Run a, b;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const std::string name = "kernel number " + std::to_string(i * 2'654'435'761U);
    a.timeline.slices.push_back({.end_ps = 100, .node = i, .name = a.timeline.names.add(name)});
    b.timeline.slices.push_back({.end_ps = 200 + i, .node = i, .name = b.timeline.names.add(name)});
  }
  a.total_ps = 100;
  b.total_ps = 30'000;
  EXPECT_LT(page_of(a, b).size(), 700'000u);
}

}  // namespace
}  // namespace convert
