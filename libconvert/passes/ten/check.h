// SPDX-License-Identifier: MIT
// Checks whether a schedule is feasible: links, times, causality, and results (rules R1 to R7 of et-formats(5),
// ten).
#pragma once

#include <string_view>

#include "core/algorithm/schedule.h"
#include "core/diagnostic.h"
#include "passes/ten/flow.h"

namespace convert {

// Reports as errors: a transfer without a link [R1], or faster than its link [R2]; two transfers on a link at once
// [R3]; postconditions of the collective that are missing [R6]; and the findings of follow() [R4 to R6]. Reports as
// warnings [R7]: redundant copies, transfers after the end, unused links, a wrong claimed time. Sets `timed` to the
// schedule with times (the times of retime() if there are only positions). After an error in `diagnostics` there
// are no times, and the returned flow is empty.
[[nodiscard]] Flow check_schedule(const Schedule& schedule, Schedule& timed, Diagnostics& diagnostics);

// Part of the warning about links that a schedule does not use.
inline constexpr std::string_view unused_links_text = " unused; the first is ";

// Returns the end of the last transfer, as written; nullopt for times in positions, or in steps of unknown length.
[[nodiscard]] std::optional<Picoseconds> written_time(const Schedule& schedule);

}  // namespace convert
