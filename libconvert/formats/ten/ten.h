// SPDX-License-Identifier: MIT
// Readers of time-expanded-network schedules, one for each way in which they are written (et-formats(5), ten).
#pragma once

#include <string>
#include <string_view>

#include "core/algorithm/schedule.h"
#include "core/diagnostic.h"
#include "formats/format.h"

namespace convert {

// ten-schedule, as JSON and as CSV; what TACOS writes as CSV, without times and with them; TE-CCL's JSON. All throw
// Error(input) with the place.
[[nodiscard]] Schedule read_ten_json(std::string_view text, const std::string& file, const FormatOptions& options,
                                     Diagnostics& diagnostics);
[[nodiscard]] Schedule read_ten_csv(std::string_view text, const std::string& file, const FormatOptions& options,
                                    Diagnostics& diagnostics);
[[nodiscard]] Schedule read_tacos_csv(std::string_view text, const std::string& file, const FormatOptions& options,
                                      Diagnostics& diagnostics);
[[nodiscard]] Schedule read_teccl(std::string_view text, const std::string& file, const FormatOptions& options,
                                  Diagnostics& diagnostics);

// In canonical order: transfers by start, source and destination.
void write_ten_json(const Schedule& schedule, std::string& out);
void write_ten_csv(const Schedule& schedule, std::string& out);

}  // namespace convert
