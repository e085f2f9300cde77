// SPDX-License-Identifier: MIT
// Draws a line plot as self-contained SVG: dark if the reader's system is dark, light otherwise and on paper. The
// same numbers give the same bytes.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"

namespace convert {

inline constexpr std::size_t max_plot_lines = 30;

using PlotPoints = std::vector<std::pair<double, double>>;
struct PlotLine {
  std::string label;
  PlotPoints points;      // ascending in x
  PlotPoints measured{};  // if given, these have the marks, and `points` are a line without marks
};
struct PlotAxis {
  std::string label;
  ValueUnit unit = ValueUnit::number;     // of the values: ns, bytes, bytes per second
  std::vector<std::string> categories{};  // of an x axis; if given, x is their index from 0
  std::vector<double> marks{};            // of an x axis; values to label if there is room
  bool logarithmic = false;               // also if the values span less
};
struct Plot {
  std::string title;
  PlotAxis x;
  PlotAxis y;
  std::vector<PlotLine> lines;  // at most max_plot_lines; a single line has no label
  std::string legend{};         // above the labels of the lines
};

// Returns the plot as SVG. Labels are at the ends of their lines; lines that coincide are drawn once, with all
// their labels. Axes are logarithmic if their values are positive, and span more than a factor of 20 or are to be
// logarithmic; otherwise y begins at 0.
[[nodiscard]] std::string draw_svg(const Plot& plot);

}  // namespace convert
