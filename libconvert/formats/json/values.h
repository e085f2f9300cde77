// SPDX-License-Identifier: MIT
// Lenient reading of JSON values: numbers with or without quotes, microseconds, any value as an attribute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace.h"
#include "formats/json/cursor.h"

namespace convert {

// Returns an integer, optionally in quotes or with a fraction of zeros; nothing for other text or if it exceeds 64
// bits.
[[nodiscard]] std::optional<std::int64_t> lenient_integer(std::string_view scalar);

struct Microseconds {
  std::int64_t ns = 0;
  bool whole = true;  // written as an integer
  bool exact = true;  // not rounded
};
// Parses decimal µs, rounded to the nearest ns; nothing if the text is not a finite number or exceeds ±292 years.
[[nodiscard]] std::optional<Microseconds> parse_microseconds(std::string_view scalar);

// Adds the value at the cursor as an attribute: integer (uint64 if too large for int64), double, bool, string, or
// list of integers. Any other value (lists of other types, objects, null, numbers out of range) becomes a string of
// its JSON text. Throws BadJson if the text is not JSON.
void add_json_attr(AttrTable& to, Name name, JsonCursor& in);

// Sizes of a table (attributes, numbers, text bytes) to which it can be restored; does not cover texts and extras.
struct AttrMark {
  std::size_t attrs = 0, numbers = 0, text = 0;
  explicit AttrMark(const AttrTable& table)
      : attrs(table.attrs.size()), numbers(table.numbers.size()), text(table.text.size()) {}
  AttrMark() = default;
  void restore(AttrTable& table) const {
    table.attrs.resize(attrs);
    table.numbers.resize(numbers);
    table.text.resize(text);
  }
};

}  // namespace convert
