// SPDX-License-Identifier: MIT
// Deals values of pools to ranks: each pool to its end before it is dealt again, so that totals are kept.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profile/workload_profile.h"
#include "util/draw.h"

namespace convert {

// Says for whom is dealt. Ranks of one seed share what a pool has; its values, sorted, are cut into as many parts
// as a rank gets of them, and each rank gets one of each part.
struct Dealing {
  std::uint64_t seed = 1;
  std::uint64_t rank = 0, ranks = 1;  // of the job
};

// The numbers of the values of a pool that a rank gets, one round after the other.
class Deck {
 public:
  // Returns the next number of 0 … size - 1; `pool` tells this pool from all others.
  std::uint64_t next(const Dealing& dealing, std::uint64_t pool, std::uint64_t size);

 private:
  void deal(const Dealing& dealing, std::uint64_t pool, std::uint64_t size);
  std::vector<std::uint64_t> hand_;
  std::uint64_t round_ = 0;
};

// Returns the value of a number of a pool, as WorkloadProfile::pools has it: durations of a cluster are spread
// about its mean as a log-logistic distribution is.
[[nodiscard]] NodeCost cost_at(const CostPool& pool, std::uint64_t number);
// Returns how many values a pool has.
[[nodiscard]] std::uint64_t pool_size(const CostPool& pool);

}  // namespace convert
