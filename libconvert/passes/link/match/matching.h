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

struct Matching {
  std::vector<std::uint32_t> event_of;          // by node of the host trace
  std::vector<std::uint32_t> host_of;           // by Profile::cpu_ops
  bool ids_hold = false;                        // ids of record functions count the same in both files
  std::int64_t lowest_rf = 0, highest_rf = -1;  // of the host trace

  void pair(std::uint32_t host, std::uint32_t event) {
    event_of[host] = event;
    host_of[event] = host;
  }
  // Returns whether an event's id tells that it began while the host trace was recorded.
  [[nodiscard]] bool observed(const Profile::CpuOp& e) const {
    return ids_hold && e.rf_id > 0 && e.rf_id >= lowest_rf && e.rf_id <= highest_rf;
  }
};
[[nodiscard]] Matching match_calls(const Trace& host, const HostOperators& operators, const Profile& device,
                                   LinkReport& report);

// Removes the operators and calls that began before the first operator of the host trace, if other operators ran
// there, and what these calls launched; likewise behind the last. Keeps what was launched within, whenever it ran,
// and ends an annotation that encloses the end of the observation there.
void keep_observed(Profile& device, Matching& matching, LinkReport& report);

// Counts operators and events without a partner in `report`, by reason.
void report_unmatched(const Trace& host, const HostOperators& operators, const Profile& device,
                      const Matching& matching, LinkReport& report);

}  // namespace convert
