// SPDX-License-Identifier: MIT
// Draws a line plot as SVG: self-contained, light, dark where the reader's system is, and light on paper; the same
// bytes for the same numbers.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "scenario/settings.h"

namespace convert {

inline constexpr std::size_t max_plot_lines = 30;

struct PlotLine {
  std::string label;
  std::vector<std::pair<double, double>> points;  // ascending in x
};
struct PlotAxis {
  std::string label;
  SettingUnit unit = SettingUnit::number;  // of the values: ns, bytes, bytes per second
  std::vector<std::string> categories{};   // of an x axis: where they are, x counts them from 0
  std::vector<double> marks{};             // of an x axis: values that are labelled, if there is room
};
struct Plot {
  std::string title;
  PlotAxis x;
  PlotAxis y;
  std::vector<PlotLine> lines;  // at most max_plot_lines; a single one has no label
  std::string legend{};         // above the labels of the lines
};

// Returns the plot as SVG. Labels stand beside the ends of their lines; lines that coincide are drawn once, with
// all their labels. Axes are logarithmic where their values are positive and span more than a factor of 20; else y
// begins at 0.
[[nodiscard]] std::string draw_svg(const Plot& plot);

}  // namespace convert
