// SPDX-License-Identifier: MIT
#include "passes/scale/spread.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace convert {

double expected_largest(std::uint64_t n) {
  if (n <= 1) return 0;
  const double count = static_cast<double>(n);
  const double share = (count - 0.375) / (count + 0.25);
  // Quantile of the normal distribution, by bisection, as it is computed only a few times.
  double low = 0, high = 16;
  for (int i = 0; i < 64; ++i) {
    const double middle = (low + high) / 2;
    (1 - std::erfc(middle / std::numbers::sqrt2) / 2 < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

double RankSpread::expected(std::uint64_t n) const { return std::exp(sigma * expected_largest(n)); }

RankSpread rank_spread(std::span<const double> work, std::size_t rows) {
  RankSpread out;
  const std::size_t each = rows == 0 ? 0 : work.size() / rows;
  if (each < 2) return out;
  double squares = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto times = work.subspan(row * each, each);
    double mean = 0;
    for (const double t : times) mean += t / static_cast<double>(each);
    for (const double t : times) {
      if (mean <= 0 || t <= 0) return {};
      const double log = std::log(t / mean);
      squares += log * log;
      out.largest = std::max(out.largest, t / mean);
    }
  }
  out.sigma = std::sqrt(squares / static_cast<double>(rows * (each - 1)));
  return out;
}

}  // namespace convert
