// SPDX-License-Identifier: MIT
// Writes the value of an attribute for people.
#pragma once

#include <string>

#include "core/trace.h"

namespace convert {

// Returns "42", "0.5", "true", "text", "[1, 2, 3]"; lists of more than eight elements end with their number.
[[nodiscard]] std::string value_text(const AttrTable& table, const Attr& attribute);

}  // namespace convert
