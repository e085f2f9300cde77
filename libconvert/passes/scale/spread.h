// SPDX-License-Identifier: MIT
// Tells how slow the slowest of many ranks is expected to be, from the spread of a few.
#pragma once

#include <cstdint>
#include <span>

namespace convert {

// Returns the expected largest of n standard normal numbers, by Blom's approximation (1958); 0 for one.
[[nodiscard]] double expected_largest(std::uint64_t n);

// A lognormal distribution of the time of ranks over the mean of ranks that do the same.
struct RankSpread {
  double sigma = 0;    // of the logarithm
  double largest = 1;  // that was seen
  // Returns the factor of the slowest of n ranks, expected.
  [[nodiscard]] double expected(std::uint64_t n) const;
};
// Returns the distribution that fits; rows of `work` are the times of ranks that do the same.
[[nodiscard]] RankSpread rank_spread(std::span<const double> work, std::size_t rows);

}  // namespace convert
