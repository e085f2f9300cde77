// SPDX-License-Identifier: MIT
#include "util/text_table.h"

#include <array>
#include <charconv>

#include "util/visible.h"

namespace convert {

std::string format_fixed(double value, int decimals) {
  std::array<char, 400> text;
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals).ptr};
}

std::string csv_field(const std::string& value) {
  const std::string text = visible(value);
  const bool plain = text.find_first_of(",\"\r\n") == std::string::npos;
  if (plain && !text.starts_with(' ') && !text.ends_with(' ')) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace convert
