// SPDX-License-Identifier: MIT
// Tells how a sequence of things that have no order, such as calls of a type and size, repeats itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace convert {

inline constexpr std::size_t most_lag = 16;

// Counts what repeats, so that the sequences of several ranks can be added up. At lag k let s be the share of
// elements that equal the one k places later, and c the sum of the squares of the elements' frequencies, which is
// s where order says nothing: the autocorrelation is (s - c) / (1 - c), the kappa of Cohen (1960) between the
// sequence and itself, moved. It is 1 for a period of k, and where all elements are equal.
class Autocorrelation {
 public:
  Autocorrelation() = default;
  explicit Autocorrelation(std::span<const std::uint64_t> sequence);

  // Adds the sequences of so many further ranks.
  void add(const Autocorrelation& other, std::uint64_t times = 1);
  // Returns the autocorrelation at a lag from 1 to most_lag; nothing for sequences that are no longer than that.
  [[nodiscard]] std::optional<double> at(std::size_t lag) const;

 private:
  std::array<std::uint64_t, most_lag> pairs_{}, equal_{};
  double elements_ = 0;
  double by_chance_ = 0;  // c, times the number of elements
};

// Returns the largest difference over the lags that both have; nothing if they have none.
[[nodiscard]] std::optional<double> autocorrelation_distance(const Autocorrelation& a, const Autocorrelation& b);

}  // namespace convert
