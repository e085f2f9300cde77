// SPDX-License-Identifier: MIT
#include "core/same_value.h"

#include <algorithm>

namespace convert {

bool same_value(const AttrTable& table_a, const Attr& a, const AttrTable& table_b, const Attr& b) {
  const IntValue first = int_value(&a), second = int_value(&b);
  if (first && second) return first.value == second.value;
  if (a.kind != b.kind || a.size != b.size) return false;
  if (a.kind == Kind::string_val || a.kind == Kind::bytes_val) return table_a.string(a) == table_b.string(b);
  if (!is_list(a.kind)) return a.bits == b.bits;
  if (!is_text(a.kind)) return std::ranges::equal(table_a.list(a), table_b.list(b));
  return std::ranges::equal(table_a.string_list(a), table_b.string_list(b),
                            [&](Text x, Text y) { return table_a.view(x) == table_b.view(y); });
}

}  // namespace convert
