// SPDX-License-Identifier: MIT
#include "scenario/plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace convert {
namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

TEST(Plot, LinesPointsAndLegend) {
  const Plot plot{.title = "t",
                  .x = {.label = "bandwidth", .unit = "GB/s"},
                  .y = {.label = "total time", .unit = "us"},
                  .lines = {{"one", {{0, 0}, {10, 50}}}, {"two", {{0, 100}, {5, 60}, {10, 20}}}}};
  const std::string svg = draw_svg(plot);
  EXPECT_EQ(svg, draw_svg(plot));
  EXPECT_EQ(count(svg, "<polyline"), 2U);
  EXPECT_EQ(count(svg, "<circle"), 5U);
  EXPECT_TRUE(has(svg, ">bandwidth (GB/s)</text>"));
  EXPECT_TRUE(has(svg, ">total time (us)</text>"));
  EXPECT_TRUE(has(svg, ">one</text>"));
  // The value 0 is on the x axis, at the bottom.
  EXPECT_TRUE(has(svg, "<line x1=\"84\" y1=\"444\" x2=\"704\" y2=\"444\""));
  EXPECT_TRUE(has(svg, " y=\"448\" text-anchor=\"end\">0</text>"));
  EXPECT_TRUE(has(svg, ">100</text>"));
  EXPECT_FALSE(has(svg, "logarithmic"));
  EXPECT_FALSE(has(svg, "script"));
}

TEST(Plot, LinesThatCoincideAreOne) {
  const Plot plot{.title = "",
                  .x = {.label = "x"},
                  .y = {.label = "y"},
                  .lines = {{"one", {{0, 1}, {1, 2}}}, {"two", {{0, 3}, {1, 4}}}, {"three", {{0, 1}, {1, 2}}}},
                  .legend = "network"};
  const std::string svg = draw_svg(plot);
  EXPECT_EQ(count(svg, "<polyline"), 2U);
  EXPECT_EQ(count(svg, "<circle"), 4U);
  EXPECT_LT(svg.find(">network</text>"), svg.find(">one</text>"));
  EXPECT_LT(svg.find(">one</text>"), svg.find(">three</text>"));
  EXPECT_LT(svg.find(">three</text>"), svg.find(">two</text>"));
}

TEST(Plot, LinesTooCloseToTellApartAreOne) {
  Plot plot{.title = "",
            .x = {.label = "x"},
            .y = {.label = "y"},
            .lines = {{"one", {{0, 1}, {1, 1000}}}, {"near", {{0, 1.0001}, {1, 1000.1}}}},
            .legend = "network"};
  EXPECT_EQ(count(draw_svg(plot), "<polyline"), 1U);
  plot.lines[1].points[1].second = 900;
  EXPECT_EQ(count(draw_svg(plot), "<polyline"), 2U);
}

TEST(Plot, OneLineHasNoLegend) {
  const std::string svg =
      draw_svg({.title = "", .x = {.label = "x"}, .y = {.label = "y"}, .lines = {{"l", {{1, 1}}}}});
  EXPECT_FALSE(has(svg, ">l</text>"));
  EXPECT_FALSE(has(svg, "nan"));
  EXPECT_FALSE(has(svg, "inf"));
}

TEST(Plot, LogarithmicWhereValuesSpanMuch) {
  const Plot plot{.title = "",
                  .x = {.label = "size", .unit = "KiB", .marks = {{1, "1KiB"}, {1024, "1MiB"}}},
                  .y = {.label = "y"},
                  .lines = {{"", {{1, 1}, {32, 10}, {1024, 100}}}}};
  const std::string svg = draw_svg(plot);
  EXPECT_TRUE(has(svg, ">size, logarithmic</text>"));
  EXPECT_TRUE(has(svg, ">y, logarithmic</text>"));
  EXPECT_TRUE(has(svg, ">1MiB</text>"));
  // Equal factors are equal distances.
  const std::size_t begin = svg.find("points=\"") + 8;
  double x[3];
  double y[3];
  ASSERT_EQ(std::sscanf(svg.c_str() + begin, "%lf,%lf %lf,%lf %lf,%lf", x, y, x + 1, y + 1, x + 2, y + 2), 6);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.02);
  EXPECT_NEAR(y[1] - y[0], y[2] - y[1], 0.02);
}

TEST(Plot, MarksThatWouldOverlapBecomeRoundNumbers) {
  Plot plot{.title = "", .x = {.label = "x", .unit = "u"}, .y = {.label = "y"}, .lines = {{"", {}}}};
  for (int i = 1; i <= 100; ++i) {
    plot.x.marks.emplace_back(i, "value " + std::to_string(i));
    plot.lines[0].points.emplace_back(i, i);
  }
  const std::string svg = draw_svg(plot);
  EXPECT_FALSE(has(svg, "value 7"));
  EXPECT_TRUE(has(svg, ">x (u), logarithmic</text>"));
}

TEST(Plot, CategoriesAndTextOfAnyKind) {
  const Plot plot{.title = "a < b & \"c\"",
                  .x = {.label = "network", .categories = {"ring", "<switch>"}},
                  .y = {.label = "y"},
                  .lines = {{"&", {{0, 1}, {1, 2}}}, {">", {{1, 3}}}}};
  const std::string svg = draw_svg(plot);
  EXPECT_TRUE(has(svg, ">a &lt; b &amp; &quot;c&quot;</text>"));
  EXPECT_TRUE(has(svg, ">&lt;switch&gt;</text>"));
  EXPECT_TRUE(has(svg, ">&amp;</text>"));
}

TEST(Plot, ManyLinesAndNoPoints) {
  Plot plot{.title = "", .x = {.label = "x"}, .y = {.label = "y"}, .lines = {}};
  EXPECT_FALSE(has(draw_svg(plot), "nan"));
  for (std::size_t i = 0; i < max_plot_lines; ++i)
    plot.lines.push_back({"line " + std::to_string(i), {{0, 0}, {1, static_cast<double>(i)}}});
  const std::string svg = draw_svg(plot);
  EXPECT_EQ(count(svg, "<polyline"), max_plot_lines);
  // No two lines look the same.
  std::vector<std::string> looks;
  for (std::size_t at = svg.find("<line x1=\"720\""); at != std::string::npos;
       at = svg.find("<line x1=\"720\"", at + 1)) {
    const std::size_t begin = svg.find("stroke=", at);
    looks.push_back(svg.substr(begin, svg.find("/>", at) - begin));
  }
  EXPECT_EQ(looks.size(), max_plot_lines);
  std::sort(looks.begin(), looks.end());
  EXPECT_EQ(std::unique(looks.begin(), looks.end()), looks.end());
}

}  // namespace
}  // namespace convert
