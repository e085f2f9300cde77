// SPDX-License-Identifier: MIT
#include "calibrate/points.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "benchmarks.h"

namespace convert {
namespace {

BenchmarkPoint point(std::int64_t bytes, double us, std::optional<double> in_place_us = std::nullopt,
                     std::uint32_t run = 0) {
  BenchmarkPoint p{.ranks = 8, .nodes = 1, .bytes = bytes, .time_ns = us * 1000, .run = run, .line = 7};
  if (in_place_us) p.in_place_ns = *in_place_us * 1000;
  return p;
}

struct Usable {
  std::vector<std::string> points{};
  std::vector<std::string> warnings{};
};
Usable usable(std::vector<BenchmarkPoint> points) {
  Diagnostics diagnostics;
  const Benchmark benchmark{.file = "log", .points = std::move(points)};
  Usable out;
  for (const BenchmarkPoint& p : usable_points(benchmark, diagnostics)) out.points.push_back(test::text_of(p));
  for (const Diagnostic& d : diagnostics.all()) out.warnings.push_back(format_diagnostic(d));
  return out;
}

TEST(UsablePoints, TimeThatCounts) {
  EXPECT_EQ(usable({point(1024, 10, 8.4), point(2048, 10, 8.2), point(4096, 9, 12), point(8192, 10)}).points,
            (std::vector<std::string>{"all_reduce,8,1,1024,10,-", "all_reduce,8,1,2048,8.2,-",
                                      "all_reduce,8,1,4096,9,-", "all_reduce,8,1,8192,10,-"}));
}

TEST(UsablePoints, SmallSizesAndOneRank) {
  BenchmarkPoint alone = point(4096, 3);
  alone.ranks = 1;
  const Usable u = usable({point(8, 100), point(1023, 10), point(1024, 10), alone});
  EXPECT_EQ(u.points, (std::vector<std::string>{"all_reduce,8,1,1024,10,-"}));
  EXPECT_TRUE(u.warnings.empty());
}

TEST(UsablePoints, Outliers) {
  // The line between 1 KiB and 4 KiB is at 20 us for 2 KiB.
  EXPECT_EQ(usable({point(4096, 40), point(2048, 59), point(1024, 10)}).points.size(), 3U);
  const Usable u = usable({point(4096, 40), point(2048, 61), point(1024, 10)});
  EXPECT_EQ(u.points, (std::vector<std::string>{"all_reduce,8,1,4096,40,-", "all_reduce,8,1,1024,10,-"}));
  EXPECT_EQ(u.warnings, std::vector<std::string>{
                            "log:7: warning: all_reduce of 8 ranks takes 3.0 times as long for 2 KiB as the "
                            "line between the sizes beside it; the point is omitted [benchmark]"});
  // The ends of a curve, and points of other curves.
  EXPECT_EQ(usable({point(1024, 500), point(2048, 20), point(4096, 900)}).points.size(), 3U);
  EXPECT_EQ(usable({point(1024, 10), point(2048, 500, {}, 1), point(4096, 40)}).points.size(), 3U);
  // Points of one size, and neighbours whose sizes are equal as doubles.
  EXPECT_EQ(usable({point(1024, 10), point(2048, 20), point(2048, 100), point(4096, 40)}).points.size(), 3U);
  EXPECT_EQ(usable({point(INT64_MAX - 2, 10), point(INT64_MAX - 1, 10), point(INT64_MAX, 10)}).points.size(), 3U);
}

}  // namespace
}  // namespace convert
