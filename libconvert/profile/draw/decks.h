// SPDX-License-Identifier: MIT
// Stratified sampling of pools: each value of a pool is drawn once before any is drawn again, which keeps totals.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profile/workload_profile.h"
#include "util/draw.h"

namespace convert {

// Selects the rank that samples. Ranks of one seed share a pool: its sorted values are split into one stratum per
// draw of a rank, and each rank draws one value of each stratum.
struct Dealing {
  std::uint64_t seed = 1;
  std::uint64_t rank = 0, ranks = 1;  // of the job
};

// Sequence of value indices that a rank draws from a pool, round by round.
class Deck {
 public:
  // Returns the next index of 0 … size - 1; `pool` identifies the pool.
  std::uint64_t next(const Dealing& dealing, std::uint64_t pool, std::uint64_t size);

 private:
  void deal(const Dealing& dealing, std::uint64_t pool, std::uint64_t size);
  std::vector<std::uint64_t> hand_;
  std::uint64_t round_ = 0;
};

// Returns the value at an index of a pool of WorkloadProfile::pools. Durations of a cluster follow a log-logistic
// distribution around its mean.
[[nodiscard]] NodeCost cost_at(const CostPool& pool, std::uint64_t number);
// Returns the number of values of a pool.
[[nodiscard]] std::uint64_t pool_size(const CostPool& pool);

}  // namespace convert
