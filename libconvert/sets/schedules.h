// SPDX-License-Identifier: MIT
// A schedule as it was read → checked, repaired where that is asked for, and as an algorithm.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/network/network.h"
#include "core/algorithm/algorithm.h"
#include "core/algorithm/schedule.h"
#include "core/diagnostic.h"
#include "core/timeline.h"
#include "core/trace.h"
#include "formats/format.h"

namespace convert {

struct ScheduleOptions {
  bool repair = false;
  std::int64_t element_bytes = 4;
};
// Throws Error(usage) on values that are none.
[[nodiscard]] ScheduleOptions schedule_options(const FormatOptions& options);

struct CheckedSchedule {
  Schedule schedule;
  Algorithm algorithm;  // without ranks if there were errors
};
// Errors of a schedule that is repaired are those that repair cannot mend. With -v the claimed and the replayed
// time.
[[nodiscard]] CheckedSchedule check_and_repair(Schedule schedule, const ScheduleOptions& options,
                                               Diagnostics& diagnostics);

// Its wires; relays are NPUs. Throws Error(input) if they are not told, or one node cannot reach another.
[[nodiscard]] NetworkConfig network_of(const Schedule& schedule);
// What a replay on these wires did, as a schedule, checked. Throws Error(input) where a schedule cannot say it.
[[nodiscard]] Schedule schedule_of_replay(std::span<const Trace> traces, const Timeline& timeline,
                                          const NetworkConfig& network, Schedule::Occupancy occupancy,
                                          const std::string& name, Diagnostics& diagnostics);

// What -n takes: a network, or a schedule, for its wires.
[[nodiscard]] NetworkConfig find_network(const std::string& option);

// Places of an algorithm, as one of its traces tells, that only pass on what others send.
[[nodiscard]] std::vector<std::int32_t> relays_of(const Trace& trace);

}  // namespace convert
