// SPDX-License-Identifier: MIT
// Checks schedules, repairs them on request, and makes algorithms and networks of them.
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
// Returns the options of a schedule among those of a format. Throws Error(usage) on malformed values.
[[nodiscard]] ScheduleOptions schedule_options(const FormatOptions& options);

struct CheckedSchedule {
  Schedule schedule;
  Algorithm algorithm;  // without ranks if there were errors
  std::string summary;  // "ring: 12 transfers, claims 1.04 us, replayed by its order 1.04 us"; empty likewise
};
// Checks a schedule; with `repair` reports only what repair cannot mend.
[[nodiscard]] CheckedSchedule check_and_repair(Schedule schedule, const ScheduleOptions& options,
                                               Diagnostics& diagnostics);

// Returns the wires as a network; relays are NPUs. Throws Error(input) if they are not told or do not join all
// nodes.
[[nodiscard]] NetworkConfig network_of(const Schedule& schedule);
// Returns a replay's transfers as a checked schedule. Over switches messages go as the hops of the timeline say,
// which must be there if they are `stored` on the way. Throws Error(input) where a schedule cannot express them.
[[nodiscard]] Schedule schedule_of_replay(std::span<const Trace> traces, const Timeline& timeline,
                                          const NetworkConfig& network, Schedule::Occupancy occupancy, bool stored,
                                          const std::string& name, Diagnostics& diagnostics);

// A replay to be drawn: its transfers over links of any kind, and the holdings of nodes over time.
struct DrawnReplay {
  Schedule schedule;
  Holdings holdings;
};
// Returns a replay as it is drawn; the timeline must have the hops of its messages. The schedule may break the
// rules of schedules: ranks may keep chunks that they send, NPUs and switches may forward partial messages.
// Throws Error(input) if the traces lack chunk provenance.
[[nodiscard]] DrawnReplay draw_replay(std::span<const Trace> traces, const Timeline& timeline,
                                      const NetworkConfig& network, const std::string& name);

// Loads the network of option -n: a network, or a schedule, for its wires.
[[nodiscard]] NetworkConfig find_network(const std::string& option);

// Returns the ranks of an algorithm, as one of its traces names them, that only pass on what others send.
[[nodiscard]] std::vector<std::int32_t> relays_of(const Trace& trace);

}  // namespace convert
