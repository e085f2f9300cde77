// SPDX-License-Identifier: MIT
// Chunks held by nodes over time: for a schedule by its transfers, for a replayed program by its steps. Switches
// hold nothing.
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
  // Contributions to a chunk that a node holds from a given time.
  struct Change {
    std::int64_t time = 0;  // in the time unit of the schedule
    std::uint32_t node = 0;
    std::uint32_t chunk = 0;
    std::int32_t held = 0;  // contributions; negative: with duplicates
  };
  std::vector<Change> changes;      // by time
  std::vector<std::int32_t> cargo;  // by cargo_at(): contributions that the receiver holds after arrival
};

// Returns whether chunks of a schedule are sums: the collective or a transfer reduces.
[[nodiscard]] bool has_sums(const Schedule& schedule);

// Returns whether a schedule requires store-and-forward switches.
[[nodiscard]] bool needs_stored(const Schedule& schedule);

// Follows the transfers of a schedule with times. A copy replaces the content of its receiver. Transfers of data
// that the sender does not hold, and reductions into nothing, have no effect.
[[nodiscard]] Holdings holdings_of(const Schedule& schedule);

// Follows the steps of traces with chunk provenance in the times of their replay. `schedule` and `names` are the
// result of fill_from_replay() for these traces. Throws Error(input) like make_step_graph() of traces.
[[nodiscard]] Holdings holdings_of_replay(std::span<const Trace> traces, const Timeline& timeline,
                                          const Schedule& schedule, const ReplayNames& names);

}  // namespace convert
