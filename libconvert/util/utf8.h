// SPDX-License-Identifier: MIT
// Checks, decodes and encodes UTF-8 (Unicode 15, table 3-7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convert {

// Byte order mark that some editors and shells put before text.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
// Returns the text without its byte order mark, if it begins with one.
[[nodiscard]] constexpr std::string_view without_mark(std::string_view text) {
  return text.substr(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
}
// Returns whether all bytes are below 0x80.
[[nodiscard]] bool is_ascii(std::string_view s);
// Returns the length in bytes of the well-formed sequence that begins at s[i] ≥ 0x80; 0 if it is malformed.
[[nodiscard]] std::size_t sequence_length(std::string_view s, std::size_t i);
// Returns the code point of a well-formed sequence of two to four bytes.
[[nodiscard]] std::uint32_t decode_utf8(std::string_view sequence);
// Returns whether two bytes are a C1 control character, U+0080 to U+009F. Its code is the second byte.
[[nodiscard]] constexpr bool is_c1_control(std::string_view bytes) {
  return bytes.size() == 2 && bytes[0] == '\xC2' && static_cast<unsigned char>(bytes[1]) >= 0x80 &&
         static_cast<unsigned char>(bytes[1]) < 0xA0;
}
// Appends the character of a code point below 0x110000.
void append_utf8(std::string& out, std::uint32_t code);
// Returns the offset of the first byte that is not part of well-formed UTF-8, or npos.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view s);
// Returns the longest prefix of a UTF-8 text with at most `bytes` bytes that ends with a whole character.
[[nodiscard]] std::string_view cut_to(std::string_view text, std::size_t bytes);
// Returns the text, or its prefix by cut_to() and "…".
[[nodiscard]] std::string cut_text(std::string_view text, std::size_t bytes);
// Returns whether a text can be part of a message: well-formed UTF-8 on one line.
[[nodiscard]] bool is_readable(std::string_view text);

}  // namespace convert
