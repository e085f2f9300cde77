// SPDX-License-Identifier: MIT
// Text of single values: with unit for readers, exact and without unit for programs.
#pragma once

#include <string>

#include "analyze/figures/figures.h"

namespace convert {

// Returns "41.181 us", "64 KiB", "12.5 %", "50.00 GB/s", "1234"; "-" for no value.
[[nodiscard]] std::string text_cell(const Value& value, Unit unit);
// Returns the number as in JSON (times in nanoseconds), a text as it is, or an empty text for no value.
[[nodiscard]] std::string raw_cell(const Value& value, Unit unit);

}  // namespace convert
