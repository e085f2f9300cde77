// SPDX-License-Identifier: MIT
// Compares the values of two attributes.
#pragma once

#include "core/trace.h"

namespace convert {

// Returns whether two values are equal: integers of any kind by value, others by kind and content. Ignores names.
[[nodiscard]] bool same_value(const AttrTable& table_a, const Attr& a, const AttrTable& table_b, const Attr& b);

}  // namespace convert
