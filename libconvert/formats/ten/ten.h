// SPDX-License-Identifier: MIT
// Reads and writes time-expanded-network schedules in the forms that et-formats(5) lists under ten.
#pragma once

#include <string>
#include <string_view>

#include "core/algorithm/schedule.h"
#include "core/diagnostic.h"
#include "formats/format.h"

namespace convert {

// Read ten-schedule as JSON and as CSV; TACOS's CSV, without times and with them; TE-CCL's JSON. All throw
// Error(input) with the place.
[[nodiscard]] Schedule read_ten_json(std::string_view text, const std::string& file, const FormatOptions& options,
                                     Diagnostics& diagnostics);
[[nodiscard]] Schedule read_ten_csv(std::string_view text, const std::string& file, const FormatOptions& options,
                                    Diagnostics& diagnostics);
[[nodiscard]] Schedule read_tacos_csv(std::string_view text, const std::string& file, const FormatOptions& options,
                                      Diagnostics& diagnostics);
[[nodiscard]] Schedule read_teccl(std::string_view text, const std::string& file, const FormatOptions& options,
                                  Diagnostics& diagnostics);

// How transfers over switches are written: one for each link, or as one with the switches between, where it waits
// at none of them.
enum class WayForm : std::uint8_t { links, via };
// Append the schedule, transfers by start, source, destination. Throw Error(input) if it lacks its wires' speeds.
void write_ten_json(const Schedule& schedule, WayForm ways, std::string& out);
void write_ten_csv(const Schedule& schedule, WayForm ways, std::string& out);

}  // namespace convert
