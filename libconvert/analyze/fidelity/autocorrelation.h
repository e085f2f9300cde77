// SPDX-License-Identifier: MIT
// Autocorrelation of a sequence of categorical values, such as calls of a type and size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace convert {

inline constexpr std::size_t most_lag = 16;

// Counts repetitions, so that the sequences of several ranks can be added. At lag k, s is the share of elements
// that equal the element k positions later. c is the sum of the squared frequencies of the elements, the value of s
// in random order. The autocorrelation is (s - c) / (1 - c), which is Cohen's kappa (1960) between the sequence and
// its shifted copy. It is 1 for a period of k, and if all elements are equal.
class Autocorrelation {
 public:
  Autocorrelation() = default;
  explicit Autocorrelation(std::span<const std::uint64_t> sequence);

  // Adds `times` ranks with the sequences of `other`.
  void add(const Autocorrelation& other, std::uint64_t times = 1);
  // Returns the autocorrelation at a lag from 1 to most_lag; nothing if no sequence is longer than the lag.
  [[nodiscard]] std::optional<double> at(std::size_t lag) const;

 private:
  std::array<std::uint64_t, most_lag> pairs_{}, equal_{};
  double elements_ = 0;
  double by_chance_ = 0;  // c times the number of elements
};

// Returns the largest difference over the lags that both have; nothing if they share no lag.
[[nodiscard]] std::optional<double> autocorrelation_distance(const Autocorrelation& a, const Autocorrelation& b);

}  // namespace convert
