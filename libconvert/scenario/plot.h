// SPDX-License-Identifier: MIT
// Draws a line plot as SVG: self-contained, with the same bytes for the same numbers.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace convert {

inline constexpr std::size_t max_plot_lines = 30;

struct PlotLine {
  std::string label;
  std::vector<std::pair<double, double>> points;  // ascending in x
};
struct PlotAxis {
  std::string label;
  std::string unit{};                     // of the numbers; empty: none
  std::vector<std::string> categories{};  // of an x axis: where they are, x counts them from 0
  // Labels of an x axis at ascending values, written in place of round numbers if there is room.
  std::vector<std::pair<double, std::string>> marks{};
};
struct Plot {
  std::string title;
  PlotAxis x;
  PlotAxis y;
  std::vector<PlotLine> lines;  // at most max_plot_lines; a single one has no legend
  std::string legend{};         // above the labels of the lines
};

// Returns the plot as SVG. Lines that coincide are drawn once, with all their labels. Axes are logarithmic where
// their values are positive and span more than a factor of 20; else y begins at 0.
[[nodiscard]] std::string draw_svg(const Plot& plot);

}  // namespace convert
