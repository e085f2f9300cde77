// SPDX-License-Identifier: MIT
// Reads a window of time as users write it.
#pragma once

#include <limits>
#include <string_view>

#include "core/units.h"

namespace convert {

struct TimeWindow {
  Picoseconds from_ps = 0;
  Picoseconds to_ps = std::numeric_limits<Picoseconds>::max();
};

// Parses "FROM..TO", such as "1ms..2ms", of which either may be missing. `key` stands before the text in messages:
// "window=". Throws Error(usage).
[[nodiscard]] TimeWindow parse_time_window(std::string_view key, std::string_view text);

}  // namespace convert
