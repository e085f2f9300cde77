// SPDX-License-Identifier: MIT
// Takes of a rank what it did in a window of recorded time.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/time/recorded_time.h"
#include "core/time/time_window.h"
#include "core/trace.h"

namespace convert {

// When nodes of a set ran, in nanoseconds of its clock.
struct RecordedSpan {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();  // the first begin
  std::int64_t last_ns = no_time;                                    // the last end; no_time: nothing is recorded
  bool begins_missing = false;                                       // some nodes have a duration and no begin

  void add(const RecordedSpan& other);
  // Returns whether the clock begins with the run, so that a begin of 0 looks as if it were missing.
  [[nodiscard]] bool from_zero() const { return last_ns != no_time && first_ns <= last_ns - first_ns; }
  // Returns when the set begins: where windows count from.
  [[nodiscard]] std::int64_t begin_ns() const { return from_zero() && begins_missing ? 0 : first_ns; }
};
[[nodiscard]] RecordedSpan recorded_span(const Trace& trace);

// Returns for each node whether it ran in the window, if only for a part of its time. A node of no length is in it
// if it begins in it. A node without times ran when the last that it depends on had ended, or, where it depends on
// nothing, when the first that depends on it began.
[[nodiscard]] std::vector<bool> nodes_in_window(const Trace& trace, const RecordedSpan& set,
                                                const TimeWindow& window);

// What becomes of collectives and messages that some of their ranks keep and others do not.
enum class PartialCalls : std::uint8_t { comp, drop, error };

struct WindowCounts {
  std::uint64_t left_out = 0;  // nodes
  std::uint64_t dropped = 0;   // dependencies on these
  std::uint64_t partial = 0;   // nodes that became computations, or were left out for that

  void add(const WindowCounts& other);
};

// Leaves out the nodes that are not `in`, and dependencies on them. Makes computations of the `partial` ones, which
// keep times and attributes but for those of communication; or leaves them out, and what depended on them depends
// on what they depended on. Throws Error(input) [window] with the first of them for PartialCalls::error.
[[nodiscard]] WindowCounts take_window(Trace& trace, const std::vector<bool>& in, const std::vector<bool>& partial,
                                       PartialCalls what);

}  // namespace convert
