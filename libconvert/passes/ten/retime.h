// SPDX-License-Identifier: MIT
// New times for a schedule from nothing but the order on its wires: each transfer as soon as its wire and its chunk
// are there.
#pragma once

#include "core/algorithm/schedule.h"
#include "core/diagnostic.h"
#include "passes/ten/flow.h"

namespace convert {

// The same transfers with continuous times. A sum is passed on when all reductions into it are done; where it
// goes away and comes back as a copy, copies go on from that one. What a wire
// takes is its hop time, or where that is not told, as long as the schedule says, or 1 us. Reports transfers that
// never can start [R4] and leaves the schedule as it was then.
[[nodiscard]] Schedule retime(const Schedule& schedule, Diagnostics& diagnostics);

// Without the copies that `flow` found redundant, and with new times.
[[nodiscard]] Schedule repair(const Schedule& schedule, const Flow& flow, Diagnostics& diagnostics);

// When the last transfer ends if each starts as soon as its parents and the one before it on its wire let it.
[[nodiscard]] Picoseconds replayed_time(const Schedule& schedule, const Flow& flow);

}  // namespace convert
