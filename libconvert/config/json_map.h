// SPDX-License-Identifier: MIT
// Reads a JSON object of scalars and lists of scalars, member by member, with the location of every token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.h"

namespace convert {

struct JsonToken {
  enum class Kind : std::uint8_t {
    plain,  // a number, true, false or null, not validated
    string,
    list,
    map,
  };
  Kind kind = Kind::plain;
  std::string_view raw;  // as written, a view into JsonSource::text; "[" or "{" for a list or map
  std::string text;      // decoded content of a string
};
// Returns the token as written, truncated to 40 bytes, for messages.
[[nodiscard]] std::string shown(const JsonToken& token);

struct JsonMember {
  JsonToken key;
  JsonToken value;
  std::vector<JsonToken> items;  // elements of a list
};

// JSON text, with the words that error messages about it use.
struct JsonSource {
  const std::string& file;
  std::string_view text;
  std::string_view rule;
  std::string_view noun;   // "system file"
  std::string_view shape;  // "a JSON object is expected, such as {}"
  std::size_t max_bytes;   // less than 4 GiB

  [[nodiscard]] std::uint32_t line_of(const JsonToken& token) const;
  // Return an Error(input) [rule] at an offset of the text, or at a token.
  [[nodiscard]] Error failure(std::size_t offset, const std::string& message) const;
  [[nodiscard]] Error failure(const JsonToken& at, const std::string& message) const;
};

// Calls take(member) for each member of the object, in text order and also for repeated keys. Throws Error(input)
// for malformed JSON, a map, and a list in a list. `take` gets the nested map or list first, as the value or the
// last item, and may throw its own error.
void read_json_map(JsonSource source, const std::function<void(const JsonMember&)>& take);

}  // namespace convert
