// SPDX-License-Identifier: MIT
#include "util/visible.h"

#include <cstdio>

#include "util/utf8.h"

namespace convert {
namespace {

bool is_plain(char c) { return c >= 0x20 && c < 0x7f; }

bool is_control(std::uint32_t c) {
  return c < 0xA0 || c == 0x61C || (c >= 0x200E && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

void append_escape(std::string& out, char prefix, unsigned value) {
  char text[8];
  std::snprintf(text, sizeof text, prefix == 'x' ? "\\x%02x" : "\\u%04x", value & 0xFFFFU);
  out += text;
}

void append_ascii_control(std::string& out, char c) {
  switch (c) {
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default: append_escape(out, 'x', static_cast<unsigned char>(c));
  }
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
    const std::size_t n = is_ascii ? 1 : sequence_length(text, i);
    if (is_ascii) {
      is_plain(c) ? out.push_back(c) : append_ascii_control(out, c);
    } else if (n == 0) {
      append_escape(out, 'x', static_cast<unsigned char>(c));
    } else if (const std::uint32_t point = decode_utf8(text.substr(i, n)); is_control(point)) {
      append_escape(out, 'u', point);
    } else {
      out.append(text.substr(i, n));
    }
    i += n == 0 ? 1 : n;
  }
  return out;
}

}  // namespace convert
