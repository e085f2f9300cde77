// SPDX-License-Identifier: MIT
// Reads values of JSON texts leniently: numbers with quotes or without, microseconds, any value as an attribute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace.h"
#include "formats/json/cursor.h"

namespace convert {

// Reads an integer, also in quotes or with a fraction of zeros; nothing if it is none or does not fit.
[[nodiscard]] std::optional<std::int64_t> lenient_integer(std::string_view scalar);

struct Microseconds {
  std::int64_t ns = 0;
  bool whole = true;  // written as an integer
  bool exact = true;  // nothing was rounded
};
// Reads decimal microseconds, rounded to the nearest ns; nothing if no finite number or beyond ±292 years.
[[nodiscard]] std::optional<Microseconds> parse_microseconds(std::string_view scalar);

// Adds the value at the cursor as an attribute: integer (uint64 if it is too large for int64), double, bool,
// string, list of integers; anything else (lists of others, objects, null, numbers that do not fit) as its JSON
// text in a string. Throws BadJson on what is not JSON.
void add_json_attr(AttrTable& to, Name name, JsonCursor& in);

// Marks how many attributes, numbers and text bytes a table holds, to take later ones back; not texts and extras.
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
