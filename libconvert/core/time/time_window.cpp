// SPDX-License-Identifier: MIT
#include "core/time/time_window.h"

#include <string>

#include "core/diagnostic.h"

namespace convert {

TimeWindow parse_time_window(std::string_view key, std::string_view text) {
  const std::string given = std::string(key) + std::string(text);
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) throw usage_error(given + ": expected FROM..TO, such as 1ms..2ms or 1ms..");
  TimeWindow out;
  const auto read = [&](std::string_view part, Picoseconds& to) {
    if (part.empty()) return;
    const auto time = parse_time(part);
    if (!time) {
      throw usage_error(std::string(key) + "…" + std::string(part) +
                        ": not a time (examples: 1.5us, 500ns, 2ms; a bare number is nanoseconds)");
    }
    to = *time;
  };
  read(text.substr(0, dots), out.from_ps);
  read(text.substr(dots + 2), out.to_ps);
  if (out.to_ps < out.from_ps) throw usage_error(given + ": the window ends before it begins");
  return out;
}

}  // namespace convert
