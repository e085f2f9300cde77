// SPDX-License-Identifier: MIT
// Readers and writers of time-expanded-network schedules, in the forms that et-formats(5) lists under ten.
#pragma once

#include <string>
#include <string_view>

#include "core/algorithm/schedule.h"
#include "core/diagnostic.h"
#include "formats/format.h"

namespace convert {

// Read ten-schedule as JSON and as CSV; TACOS's CSV with or without times; TE-CCL's JSON. All throw Error(input)
// with the location.
[[nodiscard]] Schedule read_ten_json(std::string_view text, const std::string& file, const FormatOptions& options,
                                     Diagnostics& diagnostics);
[[nodiscard]] Schedule read_ten_csv(std::string_view text, const std::string& file, const FormatOptions& options,
                                    Diagnostics& diagnostics);
[[nodiscard]] Schedule read_tacos_csv(std::string_view text, const std::string& file, const FormatOptions& options,
                                      Diagnostics& diagnostics);
[[nodiscard]] Schedule read_teccl(std::string_view text, const std::string& file, const FormatOptions& options,
                                  Diagnostics& diagnostics);

// Form of transfers over switches: one transfer per link, or one transfer that lists its switches, if it does not
// wait at a switch.
enum class WayForm : std::uint8_t { links, via };
// Append the schedule, transfers by start, source, destination. Throw Error(input) if the link speeds are unknown.
void write_ten_json(const Schedule& schedule, WayForm ways, std::string& out);
void write_ten_csv(const Schedule& schedule, WayForm ways, std::string& out);

}  // namespace convert
