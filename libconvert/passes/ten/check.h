// SPDX-License-Identifier: MIT
// Checks whether a schedule is possible: wires, times, causality, and results (rules R1 to R7 of et-formats(5),
// ten).
#pragma once

#include "core/algorithm/schedule.h"
#include "core/diagnostic.h"
#include "passes/ten/flow.h"

namespace convert {

// Reports as errors: no such wire [R1], faster than the wire [R2], two transfers on a wire at once [R3], demands of
// the collective that are not there [R6], and what follow() finds [R4 to R6]; as warnings [R7]: copies of what is
// there already, transfers after the end, wires without use, a wrong claimed time. Sets `timed` to the schedule
// with times (retime()'s for positions; none after an error in `diagnostics`: then the returned flow is empty).
[[nodiscard]] Flow check_schedule(const Schedule& schedule, Schedule& timed, Diagnostics& diagnostics);

// Returns when the last transfer ends, as written; nothing for times in positions, or in steps of unknown length.
[[nodiscard]] std::optional<Picoseconds> written_time(const Schedule& schedule);

}  // namespace convert
