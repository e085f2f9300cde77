// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace convert {

// Returns the median of at least one value; of an even number, the mean of the two in the middle.
[[nodiscard]] inline double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::ranges::sort(values);
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace convert
