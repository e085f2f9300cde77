// SPDX-License-Identifier: MIT
// Is a schedule possible: wires, times, causality, and what it must deliver (rules R1 to R7 of et-formats(5), ten).
#pragma once

#include "core/algorithm/schedule.h"
#include "core/diagnostic.h"
#include "passes/ten/flow.h"

namespace convert {

// Errors: no such wire [R1], faster than the wire [R2], two transfers on a wire at once [R3], demands of the
// collective that are not there [R6], and what follow() finds [R4 to R6]. Warnings [R7]: copies that are there
// already, transfers after the end, wires without use, and a claimed time that is not that of the transfers. A
// schedule without times gets some first: see retime(). `timed`: the schedule whose times were followed. The flow
// is empty if there are none to follow.
[[nodiscard]] Flow check_schedule(const Schedule& schedule, Schedule& timed, Diagnostics& diagnostics);

// When the last transfer ends, as written; nothing if there are only positions.
[[nodiscard]] std::optional<Picoseconds> written_time(const Schedule& schedule);

}  // namespace convert
