// SPDX-License-Identifier: MIT
// Writes single values: for people with a unit, for programs exactly and without.
#pragma once

#include <string>

#include "analyze/figures/figures.h"

namespace convert {

// Returns "41.181 us", "64 KiB", "12.5 %", "50.00 GB/s", "1234"; "-" for nothing.
[[nodiscard]] std::string text_cell(const Value& value, Unit unit);
// Returns the number as JSON has it, times in nanoseconds; a text as it is; empty for nothing.
[[nodiscard]] std::string raw_cell(const Value& value, Unit unit);

}  // namespace convert
