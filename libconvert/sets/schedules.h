// SPDX-License-Identifier: MIT
// Checks schedules, repairs them on request, and converts them to algorithms and networks.
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
#include "passes/ten/holdings.h"

namespace convert {

struct ScheduleOptions {
  bool repair = false;
  std::int64_t element_bytes = 4;
};
// Returns the schedule options of a format's options. Throws Error(usage) for malformed values.
[[nodiscard]] ScheduleOptions schedule_options(const FormatOptions& options);

struct CheckedSchedule {
  Schedule schedule;
  Algorithm algorithm;  // without ranks if there were errors
  std::string summary;  // "ring: 12 transfers, claims 1.04 us, replayed by its order 1.04 us"; empty if there were
                        // errors
};
// Checks a schedule; with `repair`, reports only defects that cannot be repaired.
[[nodiscard]] CheckedSchedule check_and_repair(Schedule schedule, const ScheduleOptions& options,
                                               Diagnostics& diagnostics);

// Returns the links as a network; relays are NPUs. Throws Error(input) if the schedule has no links, or they do not
// connect all nodes.
[[nodiscard]] NetworkConfig network_of(const Schedule& schedule);
// Returns a replay's transfers as a checked schedule. Messages over switches follow the hops of the timeline, which
// are required if messages are `stored` at switches. Throws Error(input) if a schedule cannot express the replay.
[[nodiscard]] Schedule schedule_of_replay(std::span<const Trace> traces, const Timeline& timeline,
                                          const NetworkConfig& network, Schedule::Occupancy occupancy, bool stored,
                                          const std::string& name, Diagnostics& diagnostics);

// Replay for drawing: its transfers over links of any kind, and the chunks that nodes hold over time.
struct DrawnReplay {
  Schedule schedule;
  Holdings holdings;
};
// Returns a replay for drawing; the timeline must have the hops of its messages. The schedule may violate rules of
// schedules: ranks may keep chunks that they send, NPUs and switches may forward partial messages. Throws
// Error(input) if the traces lack chunk provenance.
[[nodiscard]] DrawnReplay draw_replay(std::span<const Trace> traces, const Timeline& timeline,
                                      const NetworkConfig& network, const std::string& name);

// Loads the network of option -n: a network file, or the links of a schedule.
[[nodiscard]] NetworkConfig find_network(const std::string& option);

// Returns the ranks of an algorithm, as recorded in one of its traces, that only forward data of other ranks.
[[nodiscard]] std::vector<std::int32_t> relays_of(const Trace& trace);

}  // namespace convert
