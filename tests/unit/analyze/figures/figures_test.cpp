// SPDX-License-Identifier: MIT
#include "analyze/figures/figures.h"

#include <gtest/gtest.h>

#include "core/diagnostic.h"

namespace convert {
namespace {

Statistics sample() {
  Section s{.name = "time"};
  s.figures = {{"total", "all", Unit::time, std::int64_t{1'500}},
               {"all_reduce.bytes", "", Unit::bytes, std::int64_t{2'048}},
               {"all_reduce.calls", "", Unit::count, std::int64_t{3}},
               {"share", "part", Unit::share, 0.125}};
  s.tables = {{.key = "rows",
               .title = "the rows",
               .columns = {{"name", "name", Unit::text}, {"busbw", "busbw", Unit::gb_per_s}},
               .rows = {{std::string("a,\x1b\"b"), 50.0}, {std::string("c"), {}}},
               .more = "names"}};
  s.notes = {"a note"};
  return {s};
}

TEST(Figures, TextHasUnits) {
  EXPECT_EQ(statistics_text(sample(), 1),
            "time\n"
            "  all   1.5 ns\n"
            "  part  12.5 %\n"
            "\n"
            "  the rows\n"
            "  name           busbw\n"
            "  a,\\x1b\"b  50.00 GB/s\n"
            "  … 1 more names: --top 0 shows all\n"
            "  note: a note\n");
}

TEST(Figures, JsonIsExact) {
  EXPECT_EQ(statistics_json(sample(), 0),
            "{\n"
            "  \"time\":{\n"
            "    \"total_ns\":1.5,\n"
            "    \"all_reduce\":{\"bytes\":2048,\"calls\":3},\n"
            "    \"share\":0.125,\n"
            "    \"rows\":[\n"
            "      {\"name\":\"a,\\u001b\\\"b\",\"busbw_gb_per_s\":50},\n"
            "      {\"name\":\"c\",\"busbw_gb_per_s\":null}\n"
            "    ],\n"
            "    \"notes\":[\n"
            "      \"a note\"\n"
            "    ]\n"
            "  }\n"
            "}\n");
}

TEST(Figures, JsonTellsWhatIsLeftOut) {
  EXPECT_NE(statistics_json(sample(), 1).find("\"rows_left_out\":1"), std::string::npos);
}

TEST(Figures, CsvIsOneTable) {
  EXPECT_EQ(statistics_csv(sample(), 0),
            "section,table,figure,value,name,busbw_gb_per_s\n"
            "time,figures,total_ns,1.5,,\n"
            "time,figures,all_reduce.bytes,2048,,\n"
            "time,figures,all_reduce.calls,3,,\n"
            "time,figures,share,0.125,,\n"
            "time,rows,,,\"a,\\x1b\"\"b\",50\n"
            "time,rows,,,c,\n");
}

TEST(Figures, BandwidthsHaveSixDigits) {
  const Statistics one = {{.name = "x", .figures = {{"busbw", "busbw", Unit::gb_per_s, 370.79999999999995}}}};
  EXPECT_EQ(get_figure(one, "x.busbw"), "370.8");
}

TEST(Figures, OneIsFoundWithItsUnitAndWithout) {
  EXPECT_EQ(get_figure(sample(), "time.total"), "1.5");
  EXPECT_EQ(get_figure(sample(), "time.total_ns"), "1.5");
  EXPECT_EQ(get_figure(sample(), "time.all_reduce.bytes"), "2048");
}

TEST(Figures, AMissingOneNamesANearOne) {
  try {
    (void)get_figure(sample(), "time.totl_ns");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::usage);
    EXPECT_STREQ(e.what(), "--get time.totl_ns: unknown metric; did you mean time.total_ns?");
  }
}

TEST(Sum, StaysAtTheLimit) {
  Sum sum;
  sum.add(INT64_MAX);
  EXPECT_FALSE(sum.saturated());
  sum.add(1);
  EXPECT_TRUE(sum.saturated());
  EXPECT_EQ(sum.get(), INT64_MAX);
}

TEST(Percentile, IsOfTheNearestRank) {
  std::vector<std::int64_t> values = {50, 15, 35, 20, 40};
  EXPECT_EQ(percentile(values, 5), 15);
  EXPECT_EQ(percentile(values, 30), 20);
  EXPECT_EQ(percentile(values, 40), 20);
  EXPECT_EQ(percentile(values, 50), 35);
  EXPECT_EQ(percentile(values, 100), 50);
}

TEST(Percentile, OfRepeatedValuesIsThatOfAllOfThem) {
  const std::vector<Repeated> sorted = {{10, 3}, {20, 1}, {30, 95}, {40, 1}};
  std::vector<std::int64_t> all;
  for (const Repeated& r : sorted) all.insert(all.end(), r.times, r.value);
  for (const double percent : {0.5, 3.0, 3.5, 4.0, 4.5, 50.0, 99.0, 99.5, 100.0})
    EXPECT_EQ(percentile(sorted, percent), percentile(all, percent)) << percent;
}

TEST(Sum, AddedSeveralTimesIsAsAddedOneByOne) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{5}, most / 3, most / 2, most}) {
    Sum one, once, added;
    one.add(n);
    once.add(one, 3);
    for (int i = 0; i < 3; ++i) added.add(one);
    EXPECT_EQ(once.get(), added.get());
    EXPECT_EQ(once.saturated(), added.saturated());
  }
}

}  // namespace
}  // namespace convert
