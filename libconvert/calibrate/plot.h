// SPDX-License-Identifier: MIT
// Plots of bandwidths over sizes, measured and predicted.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace convert {

// A curve of one colour. Points are (bytes, GB/s), ascending in bytes.
struct PlotCurve {
  std::string name;
  std::vector<std::pair<double, double>> marks;  // measured
  std::vector<std::pair<double, double>> line;   // predicted; has marks of its own if nothing is measured
};

// Returns the curves as SVG; both axes are logarithmic. Throws Error(usage) for more curves than a plot can show.
[[nodiscard]] std::string plot_svg(const std::string& title, const std::string& x_label, const std::string& y_label,
                                   std::span<const PlotCurve> curves);

}  // namespace convert
