// SPDX-License-Identifier: MIT
#include "formats/pytorch/linked_text.h"

#include <charconv>
#include <cmath>
#include <cstdint>

#include "formats/pytorch/python_text.h"
#include "util/utf8.h"

namespace convert {
namespace {

constexpr std::size_t deepest = 1000;

bool is_plain_ascii(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

void append_unit(std::uint32_t unit, std::string& out) {
  constexpr std::string_view hex = "0123456789abcdef";
  out += "\\u";
  for (unsigned shift = 16; shift != 0;) out += hex[unit >> (shift -= 4) & 0xfU];
}

void append_code(std::uint32_t code, std::string& out) {
  switch (code) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    case '\f': out += "\\f"; return;
    case '\b': out += "\\b"; return;
    default: break;
  }
  if (code >= ' ' && code <= '~') {
    out += static_cast<char>(code);
  } else if (code < 0x10000) {
    append_unit(code, out);
  } else {
    append_unit(0xd800 + ((code - 0x10000) >> 10U), out);
    append_unit(0xdc00 + ((code - 0x10000) & 0x3ffU), out);
  }
}

// Returns the character at s[i] and moves i after it.
std::uint32_t next_code(std::string_view s, std::size_t& i) {
  const auto first = static_cast<unsigned char>(s[i]);
  const std::size_t n = first < 0x80 ? 1 : sequence_length(s, i);
  if (n <= 1) {
    ++i;
    return n == 1 ? first : 0xfffd;
  }
  i += n;
  return decode_utf8(s.substr(i - n, n));
}

// Reader of the text of one value, from left to right.
class PythonReader {
 public:
  PythonReader(std::string_view text, std::size_t depth, std::string& out) : text_(text), base_(depth), out_(out) {}

  bool run() {
    bool value_before = false;
    do {
      if (at_ >= text_.size()) return false;
      const char c = text_[at_];
      const bool closes = c == ']' || c == '}';
      const bool separates = c == ',' || c == ':';
      if (value_before != (closes || separates)) return false;
      if (closes) {
        if (!close(c)) return false;
      } else if (separates) {
        if (open_.empty() || (c == ':' && open_.back() != '}')) return false;
        separate(c);
        value_before = false;
        continue;
      } else if (c == '[' || c == '{') {
        if (open_.size() == deepest) return false;
        if (!open(c == '[' ? ']' : '}')) continue;
      } else if (c == '\'' || c == '"') {
        if (!string(c)) return false;
      } else if (!scalar()) {
        return false;
      }
      value_before = true;
    } while (!open_.empty());
    return at_ == text_.size();
  }

 private:
  // Opens a bracket. Returns whether it closes at once.
  bool open(char closing) {
    out_ += text_[at_++];
    if (at_ < text_.size() && text_[at_] == closing) {
      out_ += closing;
      ++at_;
      return true;
    }
    open_ += closing;
    append_line(out_, base_ + open_.size());
    return false;
  }
  bool close(char c) {
    if (open_.empty() || open_.back() != c) return false;
    open_.pop_back();
    append_line(out_, base_ + open_.size());
    out_ += c;
    ++at_;
    return true;
  }
  void separate(char c) {
    ++at_;
    if (at_ < text_.size() && text_[at_] == ' ') ++at_;
    out_ += c;
    if (c == ',') {
      append_line(out_, base_ + open_.size());
    } else {
      out_ += ' ';
    }
  }

  bool string(char quote) {
    out_ += '"';
    for (++at_; at_ < text_.size() && text_[at_] != quote;) {
      if (text_[at_] == '\\') {
        if (!escape()) return false;
      } else if (is_plain_ascii(text_[at_])) {
        out_ += text_[at_++];
      } else {
        append_code(next_code(text_, at_), out_);
      }
    }
    out_ += '"';
    return at_++ < text_.size();
  }

  bool escape() {
    if (++at_ >= text_.size()) return false;
    const char c = text_[at_++];
    std::size_t digits = 0;
    switch (c) {
      case '\\':
      case '\'':
      case '"': append_code(static_cast<unsigned char>(c), out_); return true;
      case 'n': append_code('\n', out_); return true;
      case 'r': append_code('\r', out_); return true;
      case 't': append_code('\t', out_); return true;
      case 'x': digits = 2; break;
      case 'u': digits = 4; break;
      case 'U': digits = 8; break;
      default: return false;
    }
    if (text_.size() - at_ < digits) return false;
    std::uint32_t code = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, begin + digits, code, 16);
    if (error != std::errc() || end != begin + digits || code > 0x10ffff) return false;
    at_ += digits;
    append_code(code, out_);
    return true;
  }

  bool scalar() {
    const std::string_view token = text_.substr(at_, text_.find_first_of(",:]} ", at_) - at_);
    at_ += token.size();
    if (token == "True" || token == "False") {
      out_ += token == "True" ? "true" : "false";
    } else if (token == "None") {
      out_ += "null";
    } else if (token == "nan" || token == "inf" || token == "-inf") {
      out_ += token == "nan" ? "NaN" : token == "inf" ? "Infinity" : "-Infinity";
    } else {
      // Digits are copied: JSON and Python have the same form of numbers.
      const std::size_t sign = token.starts_with('-') ? 1 : 0;
      const bool digit = token.size() > sign && token[sign] >= '0' && token[sign] <= '9';
      if (!digit || !is_number(token)) return false;
      out_ += token;
    }
    return true;
  }
  static bool is_number(std::string_view token) {
    if (token.find_first_not_of("0123456789", 1) == std::string_view::npos) return true;
    double value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    return error == std::errc() && end == token.data() + token.size();
  }

  std::string_view text_;
  std::size_t base_;
  std::string& out_;
  std::size_t at_ = 0;
  std::string open_;  // closing characters of the open brackets
};

}  // namespace

void append_ascii_json(std::string_view text, std::string& out) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    std::size_t plain = i;
    while (plain < text.size() && is_plain_ascii(text[plain])) ++plain;
    out.append(text, i, plain - i);
    i = plain;
    if (i < text.size()) append_code(next_code(text, i), out);
  }
  out += '"';
}

void append_json_float(double value, std::string& out) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value < 0 ? "-Infinity" : "Infinity";
  } else {
    append_python_float(out, value);
  }
}

bool append_json_of_python(std::string_view text, std::size_t depth, std::string& out) {
  return PythonReader(text, depth, out).run();
}

}  // namespace convert
