// SPDX-License-Identifier: MIT
// Takes steps apart for runtimes that have no step which receives and does more.
#pragma once

#include <cstdint>

#include "core/algorithm/algorithm.h"

namespace convert {

// Returns how many steps split_steps() makes of one.
[[nodiscard]] std::uint32_t split_count(const Step& step);

// Returns the algorithm with r, s, re and cpy in place of rcs, rrs, rrc and rrcs. What is added to goes through
// scratch space of its threadblock, as large as its largest such step: its steps follow each other, so that one is
// done with it before the next. The first of the new steps waits and the last publishes, as the one did.
[[nodiscard]] Algorithm split_steps(const Algorithm& algorithm);

}  // namespace convert
