// SPDX-License-Identifier: MIT
// Frequencies of values, and the distance of two distributions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyze/figures/figures.h"

namespace convert {

// Values are kept to their twelve highest bits: a relative precision of 1 / 4,096, exact up to 4,095. This bounds
// memory independent of the number of nodes.
class Distribution {
 public:
  Distribution() = default;
  // Takes values in any order; negative values count as 0.
  explicit Distribution(std::vector<std::int64_t> values);

  // Adds another distribution `times` times.
  void add(const Distribution& other, std::uint64_t times = 1);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::span<const Repeated> bins() const { return bins_; }  // ascending

 private:
  std::vector<Repeated> bins_;
  std::uint64_t count_ = 0;
};

// Returns the Kolmogorov-Smirnov distance (Kolmogorov 1933, Smirnov 1948): the largest difference, over all x, of
// the shares of values up to x. 0 for equal distributions, at most 1. 0 if both are empty, 1 if one is empty.
[[nodiscard]] double ks_distance(const Distribution& a, const Distribution& b);

}  // namespace convert
