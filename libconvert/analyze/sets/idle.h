// SPDX-License-Identifier: MIT
// Says why the streams of a device were idle between what they ran, of recorded and linked traces.
#pragma once

#include <cstdint>
#include <map>

#include "core/trace.h"
#include "core/units.h"

namespace convert {

// Gaps of at most this length between two operations that were both launched are the delay of the device itself.
inline constexpr std::int64_t kernel_delay_ns = 30;

// The gaps of one stream, by what Holistic Trace Analysis calls them. A gap lies between the latest end so far and
// the next begin.
struct StreamIdle {
  std::uint64_t operations = 0;
  std::int64_t busy_ns = 0;         // in which an operation runs
  std::int64_t host_wait_ns = 0;    // the next operation was launched after the gap had begun
  std::int64_t kernel_wait_ns = 0;  // launched before; the gap is not longer than kernel_delay_ns
  std::int64_t other_wait_ns = 0;   // launched before, or nobody knows when: waits for events, other streams, …
  std::uint64_t unlaunched = 0;     // operations of which no dependency tells the launch
};

// Returns the streams of the device by number: of nodes with the attribute stream that do not run on the CPU and
// tell when they started. An operation is launched when the node ends that its dependency of the rule "launch"
// (dep_rules, et-formats(5)) names.
[[nodiscard]] std::map<std::int64_t, StreamIdle> idle_of(const Trace& trace);

}  // namespace convert
