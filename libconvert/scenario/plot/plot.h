// SPDX-License-Identifier: MIT
// Draws a line plot as self-contained SVG: dark if the reader's system is dark, light otherwise and on paper. The
// same numbers give the same bytes.
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
  std::vector<std::string> categories{};   // of an x axis; if given, x is their index from 0
  std::vector<double> marks{};             // of an x axis; values to label if there is room
};
struct Plot {
  std::string title;
  PlotAxis x;
  PlotAxis y;
  std::vector<PlotLine> lines;  // at most max_plot_lines; a single line has no label
  std::string legend{};         // above the labels of the lines
};

// Returns the plot as SVG. Labels are at the ends of their lines; lines that coincide are drawn once, with all
// their labels. Axes are logarithmic if their values are positive and span more than a factor of 20; otherwise y
// begins at 0.
[[nodiscard]] std::string draw_svg(const Plot& plot);

}  // namespace convert
