// SPDX-License-Identifier: MIT
// Reads a JSON object of scalars and lists of scalars, member by member, with the place of every part.
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
    plain,  // anything else; should be a number, true, false or null, but is not checked
    string,
    list,
    map,
  };
  Kind kind = Kind::plain;
  std::string_view raw;  // as written, a part of JsonSource::text; "[" or "{" for a list or map
  std::string text;      // of a string, decoded
};
// Returns the token as written, cut after 40 bytes, for messages.
[[nodiscard]] std::string shown(const JsonToken& token);

struct JsonMember {
  JsonToken key;
  JsonToken value;
  std::vector<JsonToken> items;  // of a list
};

// A JSON text, and the words that errors about it use.
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

// Calls take(member) for each member of the object, in the order of the text and also for equal keys. Throws
// Error(input) for malformed JSON, and for a map, or a list in a list: `take` gets it first, as the value or the
// last item, and may throw an error of its own.
void read_json_map(JsonSource source, const std::function<void(const JsonMember&)>& take);

}  // namespace convert
