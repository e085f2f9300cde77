// SPDX-License-Identifier: MIT
// Holds how often values occur, and tells how far two such distributions are apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyze/figures/figures.h"

namespace convert {

// Values are kept to their twelve highest bits, a part in 4,096 (up to 4,095 exactly), so that memory is bounded
// whatever the number of nodes.
class Distribution {
 public:
  Distribution() = default;
  // Takes values in any order; those below 0 count as 0.
  explicit Distribution(std::vector<std::int64_t> values);

  // Adds another one so many times.
  void add(const Distribution& other, std::uint64_t times = 1);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::span<const Repeated> bins() const { return bins_; }  // ascending

 private:
  std::vector<Repeated> bins_;
  std::uint64_t count_ = 0;
};

// Returns the distance of Kolmogorov and Smirnov (Kolmogorov 1933, Smirnov 1948): the largest difference of the
// shares of values up to x, over all x. From 0 for equal distributions to 1; 0 for two without values, 1 if one has
// none.
[[nodiscard]] double ks_distance(const Distribution& a, const Distribution& b);

}  // namespace convert
