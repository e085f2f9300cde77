// SPDX-License-Identifier: MIT
// Whether two attributes say the same.
#pragma once

#include "core/trace.h"

namespace convert {

// Integers of any kind by their value, all else by kind and content. Names and documentation do not count.
[[nodiscard]] bool same_value(const AttrTable& table_a, const Attr& a, const AttrTable& table_b, const Attr& b);

}  // namespace convert
