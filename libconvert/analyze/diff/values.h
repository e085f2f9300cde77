// SPDX-License-Identifier: MIT
// Compares and prints parts of attributes, nodes and metadata other than values: doc strings, unknown fields.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/trace.h"

namespace convert {

// Returns whether an attribute is a time: its differences count as times, not as structure.
[[nodiscard]] bool is_time_attribute(Name name);

// Returns "42", "0.5", "true", "text", "[1, 2, 3]"; lists of more than eight elements end with their number.
// `kind`: ends with the kind, as in "42 (int64_val)".
[[nodiscard]] std::string value_text(const AttrTable& table, const Attr& attribute, bool kind = false);

// Returns the extra of an index as attributes and nodes have it: 1 + its place; empty for 0.
[[nodiscard]] inline Extra extra_of(const AttrTable& table, std::uint32_t extra) {
  return extra == 0 ? Extra() : table.extras[extra - 1];
}
// Calls visit(what, text of a, text of b) for each part that differs: "doc_string", or "unknown" with the encoded
// fields.
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
// Returns a text that for_each_extra() visits: "(none)", a doc string, or the first sixteen bytes of fields as
// hexadecimal digits.
[[nodiscard]] std::string extra_text(std::string_view what, std::string_view text);

}  // namespace convert
