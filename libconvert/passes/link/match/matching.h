// SPDX-License-Identifier: MIT
// Pairs the operators of the host trace with the events of the profile: by the id of the record function, by
// autograd's sequence number, and between such pairs by name and order.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile.h"
#include "core/trace.h"
#include "passes/link/host_operators.h"
#include "passes/link/report.h"

namespace convert {

// Pairs of operators and events.
struct Matching {
  std::vector<std::uint32_t> event_of;          // by node of the host trace
  std::vector<std::uint32_t> host_of;           // by Profile::cpu_ops
  bool ids_hold = false;                        // ids of record functions count the same in both files
  std::int64_t lowest_rf = 0, highest_rf = -1;  // of the host trace

  void pair(std::uint32_t host, std::uint32_t event) {
    event_of[host] = event;
    host_of[event] = host;
  }
  // Returns whether an event's id shows that it began while the host trace was recorded.
  [[nodiscard]] bool observed(const Profile::CpuOp& e) const {
    return ids_hold && e.rf_id > 0 && e.rf_id >= lowest_rf && e.rf_id <= highest_rf;
  }
};
// Returns the pairs of operators of the host trace and events of the profile that are the same call. Records in
// `report` the number of pairs by method, and how well the files agree.
[[nodiscard]] Matching match_calls(const Trace& host, const HostOperators& operators, const Profile& device,
                                   LinkReport& report);

// Restricts the profile to the time that the host trace observed. If other operators ran before its first operator,
// removes the earlier operators and calls, and the operations that these launched; likewise after its last
// operator. Operations launched in between are kept, whenever they ran. An annotation that exceeds the observed
// time ends with it.
void keep_observed(Profile& device, Matching& matching, LinkReport& report);

// Counts operators and events without a partner in `report`, by reason.
void report_unmatched(const Trace& host, const HostOperators& operators, const Profile& device,
                      const Matching& matching, LinkReport& report);

}  // namespace convert
