// SPDX-License-Identifier: MIT
#include "util/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "util/utf8.h"

namespace convert {
namespace {

// Returns the number of bytes from s[i] on that are printable ASCII other than '"' and '\'.
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
      if (is_c1_control(s.substr(i, n))) {
        append_escape(out, static_cast<unsigned char>(s[i + 1]));
      } else {
        out.append(s, i, n);
      }
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
