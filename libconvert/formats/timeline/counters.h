// SPDX-License-Identifier: MIT
// Counters of a run: bytes in flight and local memory of NPUs, utilisation of links.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/run.h"
#include "formats/format.h"

namespace convert {

// Selection of the counters of a timeline.
struct CounterOptions {
  bool npus = true;
  std::size_t links = 16;  // number of links, the busiest first
};
[[nodiscard]] FormatOption counter_format_option();
// Parses counters=none|npus|links|all. Throws Error(usage).
[[nodiscard]] CounterOptions counter_options(const FormatOptions& options);

// Value of a counter from a time on.
struct CounterPoint {
  Picoseconds time_ps = 0;
  std::uint32_t track = 0;
  std::int64_t value = 0;
};
struct LinkCounters {
  std::vector<std::string> names;     // names of the tracks: "npu0 → npu1"
  std::vector<CounterPoint> percent;  // by time, at each change: share of busy time
};
// Returns the utilisation of links over time; empty if the run has no such data.
[[nodiscard]] LinkCounters link_counters(const Run& run, std::size_t most);

}  // namespace convert
