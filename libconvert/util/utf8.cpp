// SPDX-License-Identifier: MIT
#include "util/utf8.h"

#include <algorithm>
#include <cstring>

namespace convert {
namespace {

constexpr std::uint64_t high_bits = 0x8080808080808080U;

// Returns the offset of the first byte of 0x80 or above from i on.
std::size_t skip_ascii(std::string_view s, std::size_t i) {
  for (std::uint64_t word = 0; i + sizeof word <= s.size(); i += sizeof word) {
    std::memcpy(&word, s.data() + i, sizeof word);
    if ((word & high_bits) != 0) break;
  }
  while (i < s.size() && static_cast<unsigned char>(s[i]) < 0x80) ++i;
  return i;
}

}  // namespace

bool is_ascii(std::string_view s) {
  constexpr std::size_t block = 64 * sizeof(std::uint64_t);  // bytes that are examined before the next branch
  std::size_t i = 0;
  for (; i + block <= s.size(); i += block) {
    std::uint64_t all = 0;
    for (std::size_t k = 0; k < block; k += sizeof all) {
      std::uint64_t word = 0;
      std::memcpy(&word, s.data() + i + k, sizeof word);
      all |= word;
    }
    if ((all & high_bits) != 0) return false;
  }
  return skip_ascii(s, i) == s.size();
}

std::size_t sequence_length(std::string_view s, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < s.size() ? static_cast<unsigned char>(s[k]) : 0U; };
  const auto follows = [&](std::size_t k) { return (byte(k) & 0xC0U) == 0x80U; };
  const unsigned b0 = byte(i);
  const unsigned b1 = byte(i + 1);
  if (b0 >= 0xC2 && b0 <= 0xDF) return follows(i + 1) ? 2 : 0;
  if (b0 >= 0xE0 && b0 <= 0xEF) {  // no overlong forms, no surrogates
    const unsigned low = b0 == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = b0 == 0xED ? 0x9F : 0xBF;
    return b1 >= low && b1 <= high && follows(i + 2) ? 3 : 0;
  }
  if (b0 >= 0xF0 && b0 <= 0xF4) {  // up to U+10FFFF
    const unsigned low = b0 == 0xF0 ? 0x90 : 0x80;
    const unsigned high = b0 == 0xF4 ? 0x8F : 0xBF;
    return b1 >= low && b1 <= high && follows(i + 2) && follows(i + 3) ? 4 : 0;
  }
  return 0;
}

std::uint32_t decode_utf8(std::string_view sequence) {
  std::uint32_t code = static_cast<unsigned char>(sequence[0]) & (0xffU >> (sequence.size() + 1));
  for (const char b : sequence.substr(1)) code = code << 6U | (static_cast<unsigned char>(b) & 0x3fU);
  return code;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t b) { out += static_cast<char>(b); };
  const auto rest = [&](unsigned shift) { byte(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return byte(code);
  byte(code < 0x800 ? 0xc0 | code >> 6U : code < 0x10000 ? 0xe0 | code >> 12U : 0xf0 | code >> 18U);
  if (code >= 0x10000) rest(12);
  if (code >= 0x800) rest(6);
  rest(0);
}

std::size_t find_invalid_utf8(std::string_view s) {
  for (std::size_t i = skip_ascii(s, 0); i < s.size(); i = skip_ascii(s, i)) {
    const std::size_t n = sequence_length(s, i);
    if (n == 0) return i;
    i += n;
  }
  return std::string_view::npos;
}

std::string_view cut_to(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) --bytes;
  return text.substr(0, bytes);
}

std::string cut_text(std::string_view text, std::size_t bytes) {
  const std::string_view cut = cut_to(text, bytes);
  return std::string(cut) + (cut.size() < text.size() ? "…" : "");
}

bool is_readable(std::string_view text) {
  return find_invalid_utf8(text) == std::string_view::npos &&
         std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

}  // namespace convert
