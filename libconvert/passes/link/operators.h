// SPDX-License-Identifier: MIT
// Combines the host trace's nodes and the profiler's CPU events to the operators of one rank, laid out in time on
// their threads.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile.h"
#include "core/trace.h"
#include "passes/link/host_operators.h"
#include "passes/link/report.h"

namespace convert {

struct Operator {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t thread = 0;
  std::uint32_t host = no_index;    // node of the host trace
  std::uint32_t event = no_index;   // in Profile::cpu_ops
  std::uint32_t parent = no_index;  // the caller, an operator
};

struct Operators {
  std::vector<Operator> all;
  std::vector<std::vector<std::uint32_t>> by_thread;  // in program order: callers before callees
  std::vector<std::int64_t> host_threads;             // by thread: the host trace's "tid", else an unused number
  std::vector<std::uint32_t> of_host;                 // by node of the host trace
  std::vector<std::uint32_t> of_event;                // by Profile::cpu_ops
  // on the profile's clock; false: there is no profile, and times are positions in program order
  bool timed = false;
};

// Pairs host nodes and events (see matching.h). Host nodes and events without a partner are kept; host nodes
// without an event keep their position on their thread and take no time. `device`: null if there is no profile;
// events outside the host trace's observed time are removed from it (see keep_observed).
[[nodiscard]] Operators match_operators(const Trace& host, Profile* device, LinkReport& report);

}  // namespace convert
