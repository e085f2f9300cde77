// SPDX-License-Identifier: MIT
#include "formats/json/cursor.h"

#include <algorithm>
#include <array>
#include <string>

#include "util/utf8.h"

namespace convert {

void JsonCursor::fail(const char* what) const {
  if (here() >= end_) throw OutOfWindow{};
  throw BadJson{here(), what};
}

void JsonCursor::fail_expected(char c) const {
  if (here() >= end_) throw OutOfWindow{};
  throw BadJson{here(), std::string("'") + c + "' is expected"};
}

std::string_view JsonCursor::skip_brackets(bool check_scalars) {
  const char* const begin = here();
  JsonGrammar grammar;
  for (;;) {
    const JsonTokenKind kind = json_token(peek());
    if (!grammar.take(kind)) [[unlikely]]
      fail(grammar.expected());
    if (check_scalars && kind >= JsonTokenKind::string) check_json_scalar(token());
    if (grammar.depth() == 0) break;
    ++token_;
  }
  const char* const end = here() + 1;
  ++token_;
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::string_view JsonCursor::value() {
  if (json_token(peek()) < JsonTokenKind::string) return skip_brackets(true);
  const std::string_view s = scalar();
  check_json_scalar(s);
  return s;
}

void check_json_scalar(std::string_view token) {
  constexpr std::array<std::string_view, 10> words = {"null",      "true", "false", "NaN", "Infinity",
                                                      "-Infinity", "nan",  "-nan",  "inf", "-inf"};
  if (token.front() == '"') {
    std::string scratch;
    (void)unescaped(token.substr(1, token.size() - 2), scratch);
  } else if (!is_json_number(token) && std::ranges::find(words, token) == words.end()) {
    throw BadJson{token.data(), "not a JSON value"};
  }
}

std::string_view unescaped(std::string_view raw, std::string& scratch) {
  if (raw.find('\\') == std::string_view::npos) return raw;
  scratch.clear();
  append_unescaped(scratch, raw);
  return scratch;
}

void append_unescaped(std::string& out, std::string_view raw, LoneSurrogates lone) {
  const auto hex4 = [&](std::size_t at) {
    unsigned value = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
      const char c = i < raw.size() ? raw[i] : '\0';
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) throw BadJson{raw.data() + at, "\\u requires four hexadecimal digits"};
      value = value << 4U | static_cast<unsigned>(digit);
    }
    return value;
  };
  for (std::size_t i = 0; i < raw.size();) {
    const std::size_t escape = raw.find('\\', i);
    out.append(raw, i, escape - i);
    if (escape == std::string_view::npos) return;
    const char c = escape + 1 < raw.size() ? raw[escape + 1] : '\0';
    i = escape + 2;
    switch (c) {
      case '"':
      case '\\':
      case '/': out += c; break;
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case 'u': {
        unsigned code = hex4(i);
        i += 4;
        if (code >= 0xd800 && code < 0xdc00 && raw.substr(i, 2) == "\\u") {
          const unsigned low = hex4(i + 2);
          if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00);
            i += 6;
          }
        }
        const bool half = code >= 0xd800 && code < 0xe000;
        if (half && lone == LoneSurrogates::refused) throw BadJson{raw.data() + escape, "half a surrogate pair"};
        append_utf8(out, half ? 0xfffd : code);
        break;
      }
      default: throw BadJson{raw.data() + escape, "unknown escape in a string"};
    }
  }
}

}  // namespace convert
