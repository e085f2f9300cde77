// SPDX-License-Identifier: MIT
// Which node holds how much of which chunk when: of a schedule by its transfers, of a replayed program by what its
// steps do. Switches hold nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/algorithm/schedule.h"
#include "core/timeline.h"
#include "core/trace.h"
#include "passes/ten/from_replay.h"

namespace convert {

struct Holdings {
  // What a node holds of a chunk from a time on.
  struct Change {
    std::int64_t time = 0;  // as the schedule has times
    std::uint32_t node = 0;
    std::uint32_t chunk = 0;
    std::int32_t held = 0;  // contributions; negative: as many, and some of them twice
  };
  std::vector<Change> changes;      // by time
  std::vector<std::int32_t> cargo;  // by cargo_at(): contributions that the receiver then holds
};

// Returns whether chunks of a schedule are sums: of a collective that reduces, or with transfers that do.
[[nodiscard]] bool has_sums(const Schedule& schedule);

// Returns whether a schedule requires switches that store what comes before they send it on.
[[nodiscard]] bool needs_stored(const Schedule& schedule);

// Follows the transfers of a schedule with times. A copy replaces what its receiver holds. What its sender does not
// hold, and a reduction into nothing, change nothing.
[[nodiscard]] Holdings holdings_of(const Schedule& schedule);

// Follows the steps of traces with chunk provenance in the times of their replay. `schedule` and `names` are what
// fill_from_replay() made of them. Throws Error(input) as make_step_graph() of traces.
[[nodiscard]] Holdings holdings_of_replay(std::span<const Trace> traces, const Timeline& timeline,
                                          const Schedule& schedule, const ReplayNames& names);

}  // namespace convert
