// SPDX-License-Identifier: MIT
// Makes counters of a run: bytes under way and local memory of NPUs, use of links.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/run.h"
#include "formats/format.h"

namespace convert {

// Which counters a timeline has besides its slices.
struct CounterOptions {
  bool npus = true;
  std::size_t links = 16;  // the busiest
};
[[nodiscard]] FormatOption counter_format_option();
// Parses counters=none|npus|links|all. Throws Error(usage).
[[nodiscard]] CounterOptions counter_options(const FormatOptions& options);

// A value from a time on.
struct CounterPoint {
  Picoseconds time_ps = 0;
  std::uint32_t track = 0;
  std::int64_t value = 0;
};
struct LinkCounters {
  std::vector<std::string> names;     // of the tracks: "npu0 → npu1"
  std::vector<CounterPoint> percent;  // by time: the share of a time in which the link was busy, where it changes
};
// Returns how busy the links were over time; nothing if the run does not tell.
[[nodiscard]] LinkCounters link_counters(const Run& run, std::size_t most);

}  // namespace convert
