// SPDX-License-Identifier: MIT
// Draws how many tokens go to each expert.
#pragma once

#include <cstdint>
#include <vector>

#include "config/workload/workload.h"

namespace convert {

// Returns to how many of `tokens` each expert is assigned in a layer and micro-batch: all together to as many as
// experts_per_token says. Loads follow Zipf's law, k^-s for the k-th expert in an order that is drawn for each
// layer and micro-batch; no expert gets a token twice, and what one would get beyond all tokens goes to the others.
// Sums are exact by largest remainders.
[[nodiscard]] std::vector<std::int64_t> expert_loads(const Workload& workload, std::int64_t layer,
                                                     std::int64_t micro_batch, std::int64_t tokens);

}  // namespace convert
