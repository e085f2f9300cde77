// SPDX-License-Identifier: MIT
#include "calibrate/plot.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/diagnostic.h"

namespace convert {
namespace {

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }
std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(CalibratePlot, MarksAreMeasuredAndLinesPredicted) {
  const std::vector<PlotCurve> curves = {{"8 ranks", {{1024, 1}, {4096, 4}}, {{1024, 1.1}, {2048, 2}, {4096, 3.9}}},
                                         {"marks alone", {{1024, 0.5}}, {}},
                                         {"line alone", {}, {{1024, 9}, {4096, 9.5}}}};
  const std::string svg = plot_svg("t", "size", "bus bandwidth", curves);
  // The measured points of a curve have marks, and its line has none. A line without measured points has marks.
  EXPECT_EQ(count(svg, "<title>8 ranks, "), 2U);
  EXPECT_TRUE(has(svg, "<title>8 ranks, 4 KiB: 4 GB/s</title>"));
  EXPECT_FALSE(has(svg, ", 2 KiB: 2 GB/s"));
  EXPECT_EQ(count(svg, "<title>marks alone, "), 1U);
  EXPECT_EQ(count(svg, "<title>line alone, "), 2U);
  for (const PlotCurve& c : curves) EXPECT_TRUE(has(svg, ">" + c.name + "</text>"));
  EXPECT_TRUE(has(svg, ">marks measured, lines predicted</text>"));
  EXPECT_FALSE(has(svg, "nan"));
  const std::vector<PlotCurve> one = {curves.front()};
  EXPECT_TRUE(has(plot_svg("t", "size", "bus bandwidth", one), ">t (marks measured, line predicted)</text>"));
}

TEST(CalibratePlot, BothAxesAreLogarithmic) {
  const std::vector<PlotCurve> narrow = {{"a", {{1e6, 300}, {3e6, 340}}, {}}};
  const std::string svg = plot_svg("t", "size", "bus bandwidth", narrow);
  EXPECT_TRUE(has(svg, ">size, logarithmic</text>"));
  EXPECT_TRUE(has(svg, ">bus bandwidth, logarithmic</text>"));
  EXPECT_TRUE(has(svg, " GB/s</text>"));
  EXPECT_FALSE(has(svg, "nan"));
  const std::vector<PlotCurve> one = {{"a", {{1e6, 300}}, {}}};
  EXPECT_FALSE(has(plot_svg("t", "size", "bus bandwidth", one), "nan"));
}

TEST(CalibratePlot, TooManyCurvesAreAnError) {
  const std::vector<PlotCurve> many(31, PlotCurve{"a", {}, {{1, 1}}});
  EXPECT_THROW((void)plot_svg("t", "x", "y", many), Error);
}

}  // namespace
}  // namespace convert
