// SPDX-License-Identifier: MIT
// A JSON object of scalars and lists of scalars, read member by member with the place of every part.
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
// What a message shows of the text.
[[nodiscard]] std::string shown(const JsonToken& token);

struct JsonMember {
  JsonToken key;
  JsonToken value;
  std::vector<JsonToken> items;  // of a list
};

// A text and who complains about it.
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

// Calls `take` for each member in the order of the text; equal keys are not looked for. A map, or a list in a list,
// ends the reading: `take` sees it as the value or the last item and may complain first. Throws Error(input).
void read_json_map(const JsonSource& source, const std::function<void(const JsonMember&)>& take);

}  // namespace convert
