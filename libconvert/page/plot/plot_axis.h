// SPDX-License-Identifier: MIT
// Axes of plots: coordinates of values, and round values to label with their units: "32 KiB", "1.5 µs", "50 GB/s".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/units.h"

namespace convert {

// Maps a range of values to a range of coordinates.
struct PlotScale {
  double low = 0;
  double high = 1;
  bool log = false;
  double begin = 0;
  double end = 1;

  [[nodiscard]] double at(double value) const;
};

struct PlotTick {
  double value = 0;
  std::string label;
};

// Returns a value with `digits` significant digits, in the largest unit below it: of ns, bytes, bytes per second.
[[nodiscard]] std::string plot_value(ValueUnit unit, double value, int digits = 4);

// Returns about `most` round values of a scale at most. Sizes are powers of two; other values on a logarithmic
// scale are 1, 2 and 5 times powers of ten.
[[nodiscard]] std::vector<PlotTick> plot_ticks(const PlotScale& scale, ValueUnit unit, std::size_t most);

}  // namespace convert
