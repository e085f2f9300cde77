// SPDX-License-Identifier: MIT
// Gives a schedule new times from nothing but the order on its wires: each transfer starts as soon as its wire and
// its chunk are there.
#pragma once

#include "core/algorithm/schedule.h"
#include "core/diagnostic.h"
#include "passes/ten/flow.h"

namespace convert {

// Returns the schedule with continuous times, without step length and claimed time. A sum is passed on when all
// reductions into it are done; if a copy of it comes back, later copies wait for that. A wire takes its hop time
// or, where that is not told, as long as the schedule says, or 1 us. If transfers can never start, reports them
// [R4] and returns the schedule unchanged.
[[nodiscard]] Schedule retime(const Schedule& schedule, Diagnostics& diagnostics);

// Returns the schedule without the copies that `flow` found redundant, with new times.
[[nodiscard]] Schedule repair(const Schedule& schedule, const Flow& flow, Diagnostics& diagnostics);

// Returns when the last transfer ends if each starts as soon as its parents and the one before it on its wire
// allow.
[[nodiscard]] Picoseconds replayed_time(const Schedule& schedule, const Flow& flow);

}  // namespace convert
