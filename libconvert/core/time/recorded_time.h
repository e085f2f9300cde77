// SPDX-License-Identifier: MIT
// The recorded begin and duration of a node.
#pragma once

#include <cstdint>

#include "core/trace.h"

namespace convert {

inline constexpr std::int64_t no_time = -1;

// Begin and duration in nanoseconds of the rank's own clock; no_time if not recorded.
struct RecordedTime {
  std::int64_t begin_ns = no_time;
  std::int64_t duration_ns = no_time;
  // Returns when the node ended; no_time if unknown.
  [[nodiscard]] std::int64_t end_ns() const;
};

// Returns start_nanos, plus `base_ns`, and duration_nanos, else the fields in microseconds. The duration of a node
// with only a begin is 0.
[[nodiscard]] RecordedTime recorded_time(const NodeTable& table, const Node& node, std::int64_t base_ns);
// Returns base_time_nanos of the metadata; 0 if it is absent.
[[nodiscard]] std::int64_t recorded_base_ns(const Metadata& metadata);

}  // namespace convert
