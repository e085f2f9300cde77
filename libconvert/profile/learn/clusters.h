// SPDX-License-Identifier: MIT
// Microaggregation: clusters of neighbouring values so that each published value is the mean of at least k
// (Domingo-Ferrer and Mateo-Sanz 2002).
#pragma once

#include <cstdint>
#include <vector>

#include "profile/workload_profile.h"

namespace convert {

// The largest number of clusters of a pool.
inline constexpr std::size_t most_clusters = 32;

// A cost, or the sum of several costs.
struct WeighedCost {
  double duration_ns = 0, delay_ns = 0, operations = 0, bytes = 0;  // sums
  double squares = 0;                                               // sum of the squared durations
  std::uint32_t count = 0;

  WeighedCost() = default;
  WeighedCost(const NodeCost& cost, double duration);  // `duration` replaces the duration of the cost
  void add(const WeighedCost& other);
};

// Returns at most most_clusters clusters of at least k neighbours each, of sizes as equal as possible. Requires at
// least k values. `values` may have been shortened.
[[nodiscard]] CostPool cost_clusters(std::vector<WeighedCost> values, std::uint32_t k);
// Merges neighbours until at most `most` / 2 values are left, if there are more than `most`.
void shorten(std::vector<WeighedCost>& values, std::size_t most);

// Returns the clusters of sizes by the same method; means are rounded to two digits.
[[nodiscard]] std::vector<SizeCluster> size_clusters(std::vector<std::int64_t> values, std::uint32_t k);
// Returns the number rounded to two significant digits.
[[nodiscard]] std::int64_t two_digits(std::int64_t value);

}  // namespace convert
