// SPDX-License-Identifier: MIT
#include "calibrate/plot.h"

#include <algorithm>

#include "core/diagnostic.h"
#include "page/plot/plot.h"

namespace convert {
namespace {

// Returns GB/s as bytes per second.
PlotPoints bandwidths(const std::vector<std::pair<double, double>>& points) {
  constexpr double giga = 1e9;
  PlotPoints out;
  for (const auto& [bytes, rate] : points) out.emplace_back(bytes, rate * giga);
  return out;
}

}  // namespace

std::string plot_svg(const std::string& title, const std::string& x_label, const std::string& y_label,
                     std::span<const PlotCurve> curves) {
  if (curves.size() > max_plot_lines)
    throw usage_error("the plot would have " + std::to_string(curves.size()) + " curves, more than " +
                      std::to_string(max_plot_lines) + "; choose fewer");
  Plot plot{.title = title,
            .x = {.label = x_label, .unit = ValueUnit::bytes, .logarithmic = true},
            .y = {.label = y_label, .unit = ValueUnit::bytes_per_s, .logarithmic = true},
            .lines = {}};
  const bool compares =
      std::ranges::any_of(curves, [](const PlotCurve& c) { return !c.marks.empty() && !c.line.empty(); });
  if (compares && curves.size() > 1) plot.legend = "marks measured, lines predicted";
  if (compares && curves.size() == 1) plot.title += " (marks measured, line predicted)";
  for (const PlotCurve& c : curves) plot.lines.push_back({c.name, bandwidths(c.line), bandwidths(c.marks)});
  return draw_svg(plot);
}

}  // namespace convert
