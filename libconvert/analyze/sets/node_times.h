// SPDX-License-Identifier: MIT
// Recorded times of nodes.
#pragma once

#include <cstdint>
#include <limits>

#include "core/trace.h"
#include "core/units.h"

namespace convert {

// Returns the start of a node in nanoseconds on the recorder's clock: start_nanos, else start_us. Returns -1 if it
// is unknown or beyond 2^63-1.
[[nodiscard]] inline std::int64_t start_ns_of(const Node& node, IntValue start_nanos) {
  if (start_nanos && start_nanos.value > 0) return start_nanos.value;
  constexpr auto most_us = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / 1000);
  return node.start_us != 0 && node.start_us <= most_us ? static_cast<std::int64_t>(node.start_us) * 1000 : -1;
}

// Returns the duration of a node: duration_nanos, else duration_us. Returns -1 if it is unknown, negative or beyond
// 106 days.
[[nodiscard]] inline Picoseconds duration_of(const Node& node, IntValue duration_nanos) {
  constexpr std::int64_t most_ns = std::numeric_limits<Picoseconds>::max() / ps_per_ns;
  if (duration_nanos) {
    const bool fits = duration_nanos.value >= 0 && duration_nanos.value <= most_ns;
    return fits ? duration_nanos.value * ps_per_ns : -1;
  }
  const bool told = node.duration_us != 0 && node.duration_us <= static_cast<std::uint64_t>(most_ns / 1000);
  return told ? static_cast<Picoseconds>(node.duration_us) * ps_per_us : -1;
}

}  // namespace convert
