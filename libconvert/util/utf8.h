// SPDX-License-Identifier: MIT
// Well-formed UTF-8 (Unicode 15, table 3-7).
#pragma once

#include <cstddef>
#include <string_view>

namespace convert {

// What some editors and shells put before text.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
// The text behind a byte order mark, if it begins with one.
[[nodiscard]] constexpr std::string_view without_mark(std::string_view text) {
  return text.substr(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
}
// Whether no byte is 0x80 or above: one pass without branches.
[[nodiscard]] bool is_ascii(std::string_view s);
// Length of the well-formed sequence that begins at s[i] ≥ 0x80; 0 if there is none.
[[nodiscard]] std::size_t sequence_length(std::string_view s, std::size_t i);
// Offset of the first byte that is not part of well-formed UTF-8, or npos.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view s);

}  // namespace convert
