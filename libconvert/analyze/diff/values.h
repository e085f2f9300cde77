// SPDX-License-Identifier: MIT
// Comparison and text of attribute values, and of other contents of attributes, nodes and metadata: doc strings and
// unknown fields.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/trace.h"

namespace convert {

// Returns whether an attribute is a time. Its differences count as times, not as structure.
[[nodiscard]] bool is_time_attribute(Name name);

// Returns "42", "0.5", "true", "text", "[1, 2, 3]". Lists of more than eight elements are cut and end with their
// length. `kind`: appends the kind, as in "42 (int64_val)".
[[nodiscard]] std::string value_text(const AttrTable& table, const Attr& attribute, bool kind = false);

// Returns the extra at index `extra` - 1; an empty one for 0.
[[nodiscard]] inline Extra extra_of(const AttrTable& table, std::uint32_t extra) {
  return extra == 0 ? Extra() : table.extras[extra - 1];
}
// Calls visit(what, text of a, text of b) for each content that differs; `what` is "doc_string" or "unknown"
// (encoded fields).
template <class Visit>
void for_each_extra(const AttrTable& table_a, const Extra& a, const AttrTable& table_b, const Extra& b,
                    const Visit& visit) {
  const auto compare = [&](std::string_view what, Text x, Text y) {
    if (table_a.view(x) != table_b.view(y)) visit(what, table_a.view(x), table_b.view(y));
  };
  compare("doc_string", a.doc_string, b.doc_string);
  compare("unknown", a.unknown, b.unknown);
  compare("unknown", a.list_unknown, b.list_unknown);
}
// Returns a text of for_each_extra() for display: "(none)", a doc string, or the first sixteen bytes of fields as
// hexadecimal digits.
[[nodiscard]] std::string extra_text(std::string_view what, std::string_view text);

}  // namespace convert
