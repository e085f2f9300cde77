// SPDX-License-Identifier: MIT
// Takes values together so that each that is told is the mean of at least k (microaggregation, Domingo-Ferrer and
// Mateo-Sanz 2002, with groups of neighbours).
#pragma once

#include <cstdint>
#include <vector>

#include "profile/workload_profile.h"

namespace convert {

// The largest number of clusters of a pool.
inline constexpr std::size_t most_clusters = 32;

// A cost, or the sum of several that were taken together.
struct WeighedCost {
  double duration_ns = 0, delay_ns = 0, operations = 0, bytes = 0;  // sums
  double squares = 0;                                               // of the durations, summed
  std::uint32_t count = 0;

  WeighedCost() = default;
  WeighedCost(const NodeCost& cost, double duration);  // `duration` in place of the cost's own
  void add(const WeighedCost& other);
};

// Returns the clusters of at least k neighbours, at most most_clusters, as equal in number as may be; k values or
// more are needed. A pool may have been shortened.
[[nodiscard]] CostPool cost_clusters(std::vector<WeighedCost> values, std::uint32_t k);
// Takes neighbours together until at most half of `most` are left, if there are more than `most`.
void shorten(std::vector<WeighedCost>& values, std::size_t most);

// Returns the clusters of sizes in the same way, their means rounded to two digits.
[[nodiscard]] std::vector<SizeCluster> size_clusters(std::vector<std::int64_t> values, std::uint32_t k);
// Returns the number with its first two digits alone, rounded.
[[nodiscard]] std::int64_t two_digits(std::int64_t value);

}  // namespace convert
