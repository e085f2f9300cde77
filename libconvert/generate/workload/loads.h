// SPDX-License-Identifier: MIT
// Random distribution of tokens to experts.
#pragma once

#include <cstdint>
#include <vector>

#include "config/workload/workload.h"

namespace convert {

// Returns the number of `tokens` assigned to each expert in a layer and micro-batch; each token is assigned to
// experts_per_token experts. Loads follow Zipf's law, k^-s for the k-th expert in a random order for each layer and
// micro-batch. No expert receives a token twice; the excess of an expert beyond all tokens goes to the other
// experts. Sums are exact, by largest remainders.
[[nodiscard]] std::vector<std::int64_t> expert_loads(const Workload& workload, std::int64_t layer,
                                                     std::int64_t micro_batch, std::int64_t tokens);

}  // namespace convert
