// SPDX-License-Identifier: MIT
// Estimates the slowest of many ranks from the spread of a few.
#pragma once

#include <cstdint>
#include <span>

namespace convert {

// Returns the expected largest of n standard normal numbers, by Blom's approximation (1958); 0 for one.
[[nodiscard]] double expected_largest(std::uint64_t n);

// Lognormal distribution of the time of a rank relative to the mean of ranks that do the same work.
struct RankSpread {
  double sigma = 0;    // of the logarithm
  double largest = 1;  // largest observed factor
  // Returns the expected factor of the slowest of n ranks.
  [[nodiscard]] double expected(std::uint64_t n) const;
};
// Returns the fitted distribution. Each row of `work` has the times of ranks that do the same work.
[[nodiscard]] RankSpread rank_spread(std::span<const double> work, std::size_t rows);

}  // namespace convert
