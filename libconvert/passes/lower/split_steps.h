// SPDX-License-Identifier: MIT
// Splits fused steps (a receive combined with other work) for runtimes that lack them.
#pragma once

#include <cstdint>

#include "core/algorithm/algorithm.h"

namespace convert {

// Returns the number of steps that split_steps() makes of one.
[[nodiscard]] std::uint32_t split_count(const Step& step);

// Returns the algorithm with rcs, rrs, rrc and rrcs expressed by r, s, re and cpy. Received chunks to be added go
// through scratch space of their threadblock, which is as large as its largest such step: steps of a threadblock
// run in sequence, so that one step is done with the space before the next. The first new step waits and the last
// one publishes, as the fused step did.
[[nodiscard]] Algorithm split_steps(const Algorithm& algorithm);

}  // namespace convert
