// SPDX-License-Identifier: MIT
// Extracts the nodes of a rank that ran in a window of recorded time.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/time/recorded_time.h"
#include "core/time/time_window.h"
#include "core/trace.h"

namespace convert {

// Recorded time span of a set, in ns of its clock.
struct RecordedSpan {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();  // the first begin
  std::int64_t last_ns = no_time;                                    // the last end; no_time: nothing is recorded
  bool begins_missing = false;                                       // some nodes have a duration but no begin

  void add(const RecordedSpan& other);
  // Returns whether the clock starts with the run, so that a begin of 0 looks like a missing one.
  [[nodiscard]] bool from_zero() const { return last_ns != no_time && first_ns <= last_ns - first_ns; }
  // Returns the start of the set, from which windows count.
  [[nodiscard]] std::int64_t begin_ns() const { return from_zero() && begins_missing ? 0 : first_ns; }
};
[[nodiscard]] RecordedSpan recorded_span(const Trace& trace);

// Returns for each node whether it ran in the window at least partly. A node of zero length is in the window if its
// begin is. A node without times ran when its last dependency had ended, or, without dependencies, when its first
// dependent began.
[[nodiscard]] std::vector<bool> nodes_in_window(const Trace& trace, const RecordedSpan& set,
                                                const TimeWindow& window);

// Treatment of collectives and messages that only some of their ranks have in the window.
enum class PartialCalls : std::uint8_t { comp, drop, error };

struct WindowCounts {
  std::uint64_t left_out = 0;  // omitted nodes
  std::uint64_t dropped = 0;   // dependencies on omitted nodes
  std::uint64_t partial = 0;   // nodes that became computations or were omitted because of PartialCalls

  void add(const WindowCounts& other);
};

// Removes the nodes that are not `in`, and dependencies on them. With PartialCalls::comp, `partial` nodes become
// computations, which keep their times and all attributes except those for communication. With PartialCalls::drop
// they are removed, and their dependents depend on their dependencies. With PartialCalls::error, throws
// Error(input) [window] that names the first one.
[[nodiscard]] WindowCounts take_window(Trace& trace, const std::vector<bool>& in, const std::vector<bool>& partial,
                                       PartialCalls what);

}  // namespace convert
