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
    plain,  // number, true, false or null as it is written; not yet known to be any of these
    string,
    list,
    map,
  };
  Kind kind = Kind::plain;
  std::string_view raw;  // of the source's text; "[" or "{" of a list or map
  std::string text;      // of a string, decoded
};
// Returns what a message shows of the token.
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
  [[nodiscard]] Error failure(std::size_t offset, const std::string& message) const;
  [[nodiscard]] Error failure(const JsonToken& at, const std::string& message) const;
};

// Calls `take` for each member in the order of the text, also for equal keys. Throws Error(input), also at a map,
// or a list in a list, which `take` first gets as the value or the last item, to throw an error of its own.
void read_json_map(JsonSource source, const std::function<void(const JsonMember&)>& take);

}  // namespace convert
