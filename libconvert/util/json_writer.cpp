// SPDX-License-Identifier: MIT
#include "util/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace convert {
namespace {

// Length of the well-formed UTF-8 sequence at s[i], which starts with a byte ≥ 0x80; 0 if there is none.
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

// Number of leading bytes of s[i…] that are printable ASCII other than '"' and '\'.
std::size_t plain_run(std::string_view s, std::size_t i) {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  constexpr std::uint64_t highs = 0x8080808080808080U;
  const std::size_t start = i;
  while (i + 8 <= s.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, s.data() + i, 8);
    const std::uint64_t quote = word ^ (ones * '"');
    const std::uint64_t backslash = word ^ (ones * '\\');
    const std::uint64_t special = (word - ones * 0x20) | (quote - ones) | (backslash - ones) | word;
    if ((special & highs) != 0) break;
    i += 8;
  }
  while (i < s.size()) {
    const auto c = static_cast<unsigned char>(s[i]);
    if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\') break;
    ++i;
  }
  return i - start;
}

void append_escape(std::string& out, unsigned char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  static constexpr char digits[] = "0123456789abcdef";
  out += "\\u00";
  out += digits[c >> 4U];
  out += digits[c & 15U];
}

template <typename T>
void append_chars(std::string& out, T value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  out.append(text.data(), end);
}

template <typename T>
void append_floating(std::string& out, T value) {
  if (std::isfinite(value)) {
    append_chars(out, value);
  } else if (std::isnan(value)) {
    out += "\"NaN\"";
  } else {
    out += value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  }
}

}  // namespace

bool append_json_string(std::string& out, std::string_view s) {
  bool valid = true;
  out += '"';
  for (std::size_t i = 0; i < s.size();) {
    if (const std::size_t run = plain_run(s, i); run != 0) {
      out.append(s, i, run);
      i += run;
      continue;
    }
    const auto c = static_cast<unsigned char>(s[i]);
    if (c < 0x80) {
      append_escape(out, c);
      ++i;
    } else if (const std::size_t n = sequence_length(s, i); n != 0) {
      out.append(s, i, n);
      i += n;
    } else {
      out += "\xEF\xBF\xBD";
      valid = false;
      ++i;
    }
  }
  out += '"';
  return valid;
}

std::size_t find_invalid_utf8(std::string_view s) {
  for (std::size_t i = 0; i < s.size();) {
    if (static_cast<unsigned char>(s[i]) < 0x80) {
      ++i;
      continue;
    }
    const std::size_t n = sequence_length(s, i);
    if (n == 0) return i;
    i += n;
  }
  return std::string_view::npos;
}

void append_json_number(std::string& out, double value) { append_floating(out, value); }
void append_json_number(std::string& out, float value) { append_floating(out, value); }
void append_json_number(std::string& out, std::int64_t value) { append_chars(out, value); }
void append_json_number(std::string& out, std::uint64_t value) { append_chars(out, value); }

JsonWriter& JsonWriter::key(std::string_view k) {
  separate();
  append_json_string(out_, k);
  out_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view s) {
  separate();
  append_json_string(out_, s);
  return *this;
}

}  // namespace convert
