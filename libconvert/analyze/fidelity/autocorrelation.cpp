// SPDX-License-Identifier: MIT
#include "analyze/fidelity/autocorrelation.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace convert {

Autocorrelation::Autocorrelation(std::span<const std::uint64_t> sequence)
    : elements_(static_cast<double>(sequence.size())) {
  for (std::size_t lag = 1; lag <= most_lag && lag < sequence.size(); ++lag) {
    pairs_.at(lag - 1) = sequence.size() - lag;
    for (std::size_t i = lag; i < sequence.size(); ++i) {
      if (sequence[i] == sequence[i - lag]) ++equal_.at(lag - 1);
    }
  }
  std::vector<std::uint64_t> sorted(sequence.begin(), sequence.end());
  std::ranges::sort(sorted);
  for (auto at = sorted.begin(); at != sorted.end();) {
    const auto end = std::upper_bound(at, sorted.end(), *at);
    const auto times = static_cast<double>(end - at);
    by_chance_ += times * times / elements_;
    at = end;
  }
}

void Autocorrelation::add(const Autocorrelation& other, std::uint64_t times) {
  for (std::size_t i = 0; i < most_lag; ++i) {
    pairs_.at(i) += times * other.pairs_.at(i);
    equal_.at(i) += times * other.equal_.at(i);
  }
  elements_ += static_cast<double>(times) * other.elements_;
  by_chance_ += static_cast<double>(times) * other.by_chance_;
}

std::optional<double> Autocorrelation::at(std::size_t lag) const {
  if (lag == 0 || lag > most_lag || pairs_.at(lag - 1) == 0) return std::nullopt;
  const double share = static_cast<double>(equal_.at(lag - 1)) / static_cast<double>(pairs_.at(lag - 1));
  const double chance = by_chance_ / elements_;
  return chance >= 1 ? 1 : (share - chance) / (1 - chance);
}

std::optional<double> autocorrelation_distance(const Autocorrelation& a, const Autocorrelation& b) {
  std::optional<double> most;
  for (std::size_t lag = 1; lag <= most_lag; ++lag) {
    const auto x = a.at(lag), y = b.at(lag);
    if (x && y) most = std::max(most.value_or(0), std::abs(*x - *y));
  }
  return most;
}

}  // namespace convert
