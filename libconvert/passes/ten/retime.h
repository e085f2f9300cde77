// SPDX-License-Identifier: MIT
// Computes new times of a schedule from the order on its links: each transfer starts as soon as its link is free
// and its chunks are available.
#pragma once

#include "core/algorithm/schedule.h"
#include "core/diagnostic.h"
#include "passes/ten/flow.h"

namespace convert {

// Returns the schedule with continuous times, without step length and claimed time. A sum is passed on when all
// reductions into it are done; if a copy of it comes back, later copies wait for that copy. A leg takes its link's
// hop time; if that is unknown, the time in the schedule, or 1 µs. If transfers can never start, reports them [R4]
// and returns the schedule unchanged.
[[nodiscard]] Schedule retime(const Schedule& schedule, Diagnostics& diagnostics);

// Returns the schedule without the copies that `flow` found redundant, with new times.
[[nodiscard]] Schedule repair(const Schedule& schedule, const Flow& flow, Diagnostics& diagnostics);

// Returns the end of the last transfer if each starts as soon as its parents and the previous transfer on its link
// allow.
[[nodiscard]] Picoseconds replayed_time(const Schedule& schedule, const Flow& flow);

}  // namespace convert
