// SPDX-License-Identifier: MIT
#include "page/plot/plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "page/plot/plot_axis.h"

namespace convert {
namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

// Returns the number of curves, without lines that lead to labels.
std::size_t curves(const std::string& svg) {
  std::size_t n = 0;
  for (std::size_t at = svg.find("<polyline"); at != std::string::npos; at = svg.find("<polyline", at + 1)) {
    n += has(svg.substr(at, svg.find("/>", at) - at), "stroke-width=\"2\"") ? 1 : 0;
  }
  return n;
}

// Returns the y coordinate of a text.
double y_of(const std::string& svg, const std::string& text) {
  const std::size_t at = svg.rfind(" y=\"", svg.find(">" + text + "</text>"));
  return at == std::string::npos ? -1 : std::stod(svg.substr(at + 4));
}

std::vector<std::string> labels(const PlotScale& scale, ValueUnit unit, std::size_t most) {
  std::vector<std::string> out;
  for (const PlotTick& t : plot_ticks(scale, unit, most)) out.push_back(t.label);
  return out;
}
using Labels = std::vector<std::string>;

TEST(PlotAxis, ValuesHaveTheUnitsOfPages) {
  const auto write = [](ValueUnit unit, double value) { return plot_value(unit, value); };
  EXPECT_EQ(write(ValueUnit::ns, 0), "0");
  EXPECT_EQ(write(ValueUnit::ns, 0.25), "0.25 ns");
  EXPECT_EQ(write(ValueUnit::ns, 999.94), "999.9 ns");
  EXPECT_EQ(write(ValueUnit::ns, 999.96), "1 µs");
  EXPECT_EQ(write(ValueUnit::ns, 43707.16), "43.71 µs");
  EXPECT_EQ(write(ValueUnit::ns, 2.5e12), "2,500 s");
  EXPECT_EQ(write(ValueUnit::bytes, 1000), "1,000 B");
  EXPECT_EQ(write(ValueUnit::bytes, 1536), "1.5 KiB");
  EXPECT_EQ(write(ValueUnit::bytes, 0x1p30), "1 GiB");
  EXPECT_EQ(write(ValueUnit::bytes_per_s, 0.5e9), "0.5 GB/s");
  EXPECT_EQ(write(ValueUnit::bytes_per_s, 400e9), "400 GB/s");
  EXPECT_EQ(write(ValueUnit::factor, 1.981376), "1.981×");
  EXPECT_EQ(write(ValueUnit::number, -1234567), "\u22121,234,567");
  EXPECT_EQ(write(ValueUnit::number, 1e300), "1.000e+300");
}

TEST(PlotAxis, SizesArePowersOfTwo) {
  const PlotScale log{.low = 1000, .high = 0x1p26, .log = true};
  EXPECT_EQ(labels(log, ValueUnit::bytes, 4), (Labels{"1 KiB", "32 KiB", "1 MiB", "32 MiB"}));
  EXPECT_EQ(labels(log, ValueUnit::bytes, 9),
            (Labels{"1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB", "4 MiB", "16 MiB", "64 MiB"}));
  const PlotScale linear{.low = 0, .high = 7 * 0x1p20};
  EXPECT_EQ(labels(linear, ValueUnit::bytes, 7),
            (Labels{"0", "1 MiB", "2 MiB", "3 MiB", "4 MiB", "5 MiB", "6 MiB", "7 MiB"}));
  EXPECT_EQ(labels({.low = 0, .high = 3}, ValueUnit::bytes, 9), (Labels{"0", "1 B", "2 B", "3 B"}));
}

TEST(PlotAxis, OtherTicksAreRound) {
  EXPECT_EQ(labels({.low = 800, .high = 6e6, .log = true}, ValueUnit::ns, 5),
            (Labels{"1 µs", "10 µs", "100 µs", "1 ms"}));
  EXPECT_EQ(labels({.low = 900, .high = 30000, .log = true}, ValueUnit::ns, 9),
            (Labels{"1 µs", "2 µs", "5 µs", "10 µs", "20 µs"}));
  EXPECT_EQ(labels({.low = 0, .high = 1.1e6}, ValueUnit::ns, 5), (Labels{"0", "0.5 ms", "1.0 ms"}));
  EXPECT_EQ(labels({.low = 0, .high = 110e9}, ValueUnit::bytes_per_s, 6),
            (Labels{"0", "20 GB/s", "40 GB/s", "60 GB/s", "80 GB/s", "100 GB/s"}));
  EXPECT_EQ(labels({.low = 0, .high = 2.2}, ValueUnit::factor, 5), (Labels{"0", "0.5×", "1×", "1.5×", "2×"}));
}

TEST(Plot, LinesPointsAndLegend) {
  const Plot plot{.title = "t",
                  .x = {.label = "bandwidth", .unit = ValueUnit::bytes_per_s},
                  .y = {.label = "total time", .unit = ValueUnit::ns},
                  .lines = {{"one", {{0, 0}, {10e9, 50000}}}, {"two", {{0, 100000}, {5e9, 60000}, {10e9, 20000}}}}};
  const std::string svg = draw_svg(plot);
  EXPECT_EQ(svg, draw_svg(plot));
  EXPECT_EQ(curves(svg), 2U);
  EXPECT_EQ(count(svg, "<title>"), 5U);
  EXPECT_TRUE(has(svg, "<title>two, 5 GB/s: 60 µs</title>"));
  EXPECT_TRUE(has(svg, ">bandwidth</text>"));
  EXPECT_TRUE(has(svg, ">total time</text>"));
  EXPECT_TRUE(has(svg, ">one</text>"));
  // The value 0 is on the x axis, at the bottom.
  EXPECT_TRUE(has(svg, "<line x1=\"84\" y1=\"454\" x2=\"704\" y2=\"454\""));
  EXPECT_TRUE(has(svg, " y=\"458\" class=\"soft\" fill=\"#566173\" text-anchor=\"end\">0</text>"));
  EXPECT_TRUE(has(svg, ">100 µs</text>"));
  EXPECT_TRUE(has(svg, ">4 GB/s</text>"));
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
  EXPECT_EQ(curves(svg), 2U);
  EXPECT_EQ(count(svg, "<title>"), 4U);
  EXPECT_LT(svg.find(">network</text>"), svg.find(">one</text>"));
  EXPECT_LT(svg.find(">one</text>"), svg.find(">three</text>"));
  // The line with larger values has its label above the others.
  EXPECT_LT(y_of(svg, "two"), y_of(svg, "one"));
  EXPECT_EQ(y_of(svg, "three"), y_of(svg, "one") + 16);
}

TEST(Plot, LinesTooCloseToTellApartAreOne) {
  Plot plot{.title = "",
            .x = {.label = "x"},
            .y = {.label = "y"},
            .lines = {{"one", {{0, 1}, {1, 1000}}}, {"near", {{0, 1.0001}, {1, 1000.1}}}},
            .legend = "network"};
  EXPECT_EQ(curves(draw_svg(plot)), 1U);
  plot.lines[1].points[1].second = 900;
  EXPECT_EQ(curves(draw_svg(plot)), 2U);
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
                  .x = {.label = "size", .unit = ValueUnit::bytes, .marks = {1024, 32768, 1048576}},
                  .y = {.label = "y"},
                  .lines = {{"", {{1024, 1}, {32768, 10}, {1048576, 100}}}}};
  const std::string svg = draw_svg(plot);
  EXPECT_TRUE(has(svg, ">size, logarithmic</text>"));
  EXPECT_TRUE(has(svg, ">y, logarithmic</text>"));
  EXPECT_TRUE(has(svg, ">1 KiB</text>"));
  EXPECT_TRUE(has(svg, ">32 KiB</text>"));
  EXPECT_TRUE(has(svg, ">1 MiB</text>"));
  // Equal factors have equal distances.
  const std::size_t begin = svg.find("points=\"") + 8;
  double x[3];
  double y[3];
  ASSERT_EQ(std::sscanf(svg.c_str() + begin, "%lf,%lf %lf,%lf %lf,%lf", x, y, x + 1, y + 1, x + 2, y + 2), 6);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.02);
  EXPECT_NEAR(y[1] - y[0], y[2] - y[1], 0.02);
}

TEST(Plot, MarksThatWouldOverlapBecomeRoundNumbers) {
  Plot plot{.title = "", .x = {.label = "x"}, .y = {.label = "y"}, .lines = {{"", {}}}};
  for (int i = 1; i <= 100; ++i) {
    plot.x.marks.push_back(i + 0.125);
    plot.lines[0].points.emplace_back(i + 0.125, i);
  }
  const std::string svg = draw_svg(plot);
  EXPECT_FALSE(has(svg, ">7.125</text>"));
  EXPECT_TRUE(has(svg, ">20</text>"));
  EXPECT_TRUE(has(svg, ">x, logarithmic</text>"));
  plot.x.marks = {3, 50};
  EXPECT_TRUE(has(draw_svg(plot), ">3</text>"));
}

TEST(Plot, LightDarkAndPaper) {
  const std::string svg =
      draw_svg({.title = "t", .x = {.label = "x"}, .y = {.label = "y"}, .lines = {{"l", {{1, 1}}}}});
  // Attributes have light colours, for paper and programs without styles; a dark screen uses classes.
  EXPECT_EQ(count(svg, "@media screen and (prefers-color-scheme: dark){"), 1U);
  EXPECT_TRUE(has(svg, "class=\"panel\" fill=\"#ffffff\""));
  EXPECT_TRUE(has(svg, ".panel{fill:#171d27}"));
  EXPECT_TRUE(has(svg, "class=\"s0\" stroke=\"#0072b2\""));
  EXPECT_TRUE(has(svg, ".s0{stroke:#4aa3e0}.f0{fill:#4aa3e0}"));
  EXPECT_TRUE(has(svg, "role=\"img\" aria-label=\"y by x: t\""));
}

TEST(Plot, LabelsStandBesideTheEndsOfLines) {
  Plot plot{.title = "", .x = {.label = "x"}, .y = {.label = "y"}, .lines = {}};
  plot.lines = {{"low", {{0, 0}, {1, 1}}}, {"high", {{0, 0}, {1, 10}}}, {"near", {{0, 0}, {1, 9.9}}}, {"none", {}}};
  const std::string svg = draw_svg(plot);
  // Two labels close to each other are moved apart, equally far.
  EXPECT_EQ(y_of(svg, "near") - y_of(svg, "high"), 16);
  EXPECT_GT(y_of(svg, "low"), y_of(svg, "near") + 300);
  EXPECT_GT(y_of(svg, "none (no time)"), y_of(svg, "low"));
}

TEST(Plot, LongTitlesAreWrapped) {
  const std::string word = "network ring:8,bw=50GB/s,lat=500ns, ";
  const std::string svg =
      draw_svg({.title = word + word + word, .x = {.label = "x"}, .y = {.label = "y"}, .lines = {}});
  EXPECT_EQ(count(svg, "font-size=\"14\""), 2U);
  const std::string one(300, 'x');
  EXPECT_EQ(
      count(draw_svg({.title = one, .x = {.label = "x"}, .y = {.label = "y"}, .lines = {}}), "font-size=\"14\""),
      1U);
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
  EXPECT_EQ(curves(svg), max_plot_lines);
  // All lines look different, and labels do not overlap.
  std::vector<std::string> looks;
  std::vector<double> places;
  for (std::size_t at = svg.find("<line x1=\"726\""); at != std::string::npos;
       at = svg.find("<line x1=\"726\"", at + 1)) {
    const std::size_t begin = svg.find("class=", at);
    looks.push_back(svg.substr(begin, svg.find("/>", at) - begin));
  }
  EXPECT_EQ(looks.size(), max_plot_lines);
  std::sort(looks.begin(), looks.end());
  EXPECT_EQ(std::unique(looks.begin(), looks.end()), looks.end());
  for (std::size_t i = 0; i < max_plot_lines; ++i) places.push_back(y_of(svg, "line " + std::to_string(i)));
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i) EXPECT_GE(places[i], places[i - 1] + 15.99);
}

TEST(Plot, TextThatIsNoUtf8) {
  const std::string svg =
      draw_svg({.title = "a\xff\x01\x7f b\xc3\xa9", .x = {.label = "x"}, .y = {.label = "y"}, .lines = {}});
  EXPECT_TRUE(has(svg, ">a\uFFFD   bé</text>"));
}

}  // namespace
}  // namespace convert
