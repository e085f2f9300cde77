// SPDX-License-Identifier: MIT
// Reads when a node ran, as a recording says it.
#pragma once

#include <cstdint>

#include "core/trace.h"

namespace convert {

inline constexpr std::int64_t no_time = -1;

// Begin and duration in nanoseconds of the rank's own clock; no_time where that is not recorded.
struct RecordedTime {
  std::int64_t begin_ns = no_time;
  std::int64_t duration_ns = no_time;
  // Returns when the node ended; no_time if that is not known.
  [[nodiscard]] std::int64_t end_ns() const;
};

// Returns start_nanos, plus `base_ns`, and duration_nanos, else what the fields in microseconds say; 0 as the
// duration of a node that has a begin alone.
[[nodiscard]] RecordedTime recorded_time(const NodeTable& table, const Node& node, std::int64_t base_ns);
// Returns base_time_nanos of the metadata; 0 without.
[[nodiscard]] std::int64_t recorded_base_ns(const Metadata& metadata);

}  // namespace convert
