// SPDX-License-Identifier: MIT
// Parses a window of time.
#pragma once

#include <limits>
#include <string_view>

#include "core/units.h"

namespace convert {

struct TimeWindow {
  Picoseconds from_ps = 0;
  Picoseconds to_ps = std::numeric_limits<Picoseconds>::max();
};

// Parses "FROM..TO", such as "1ms..2ms"; either time may be missing. `key` precedes the text in messages:
// "window=". Throws Error(usage).
[[nodiscard]] TimeWindow parse_time_window(std::string_view key, std::string_view text);

}  // namespace convert
