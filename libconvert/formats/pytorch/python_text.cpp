// SPDX-License-Identifier: MIT
#include "formats/pytorch/python_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "util/utf8.h"

namespace convert {
namespace {

constexpr std::size_t step = 16;  // short scalars are copied as one block

// Characters beyond ASCII for which str.isprintable() is false: separators, control, format, surrogate and private
// characters. Unassigned characters are not listed.
constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 27> unprintable = {{
    {0x80, 0xa0},       {0xad, 0xad},         {0x600, 0x605},     {0x61c, 0x61c},     {0x6dd, 0x6dd},
    {0x70f, 0x70f},     {0x890, 0x891},       {0x8e2, 0x8e2},     {0x1680, 0x1680},   {0x180e, 0x180e},
    {0x2000, 0x200f},   {0x2028, 0x202f},     {0x205f, 0x206f},   {0x3000, 0x3000},   {0xd800, 0xf8ff},
    {0xfeff, 0xfeff},   {0xfff0, 0xfffb},     {0xfffe, 0xffff},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
    {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},   {0x1d173, 0x1d17a}, {0xe0001, 0xe007f}, {0xf0000, 0xffffd},
    {0xffffe, 0xfffff}, {0x100000, 0x10ffff},
}};

bool is_printable(std::uint32_t code) {
  const auto after = std::upper_bound(unprintable.begin(), unprintable.end(), code,
                                      [](std::uint32_t c, const auto& range) { return c < range.first; });
  return after == unprintable.begin() || code > std::prev(after)->second;
}

void append_escape(std::string& out, std::uint32_t code) {
  constexpr std::string_view hex = "0123456789abcdef";
  const auto [letter, digits] = code < 0x100     ? std::pair{'x', 2U}
                                : code < 0x10000 ? std::pair{'u', 4U}
                                                 : std::pair{'U', 8U};
  out += '\\';
  out += letter;
  for (unsigned i = digits; i-- > 0;) out += hex[code >> (4 * i) & 0xfU];
}

// Returns whether the contents of a JSON string are unchanged in Python's '…'.
bool is_plain(const char* p, std::size_t n) {
  const auto plain = [](char c) { return c >= ' ' && c < 0x7f && c != '\\' && c != '\''; };
  for (std::size_t i = 0; i < n; ++i) {
    if (!plain(p[i])) return false;
  }
  return true;
}

char* put(TextBuffer& to, char* at, std::string_view s) {
  at = to.reserve(at, s.size() + step);
  std::memcpy(at, s.data(), s.size());
  return at + s.size();
}

char* put_string(TextBuffer& to, char* at, std::string_view raw) {
  at = to.reserve(at, raw.size() + 2 + step);
  if (is_plain(raw.data(), raw.size())) {
    *at = '\'';
    std::memcpy(at + 1, raw.data(), raw.size());
    at[raw.size() + 1] = '\'';
    return at + raw.size() + 2;
  }
  std::string text;
  append_unescaped(text, raw);
  std::string shown;
  append_python_string(shown, text);
  return put(to, at, shown);
}

// Returns whether a number outside of the range of double is too large, rather than too small.
bool is_huge(std::string_view token) {
  const std::size_t e = std::min(token.find_first_of("eE"), token.size());
  const std::string_view digits = token.substr(0, e);
  const std::size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  std::int64_t exponent = 0;
  if (e < token.size()) {
    std::string_view power = token.substr(e + 1);
    if (power.front() == '+') power.remove_prefix(1);
    const auto error = std::from_chars(power.data(), power.data() + power.size(), exponent).ec;
    if (error != std::errc()) return power.front() != '-';
  }
  return point - static_cast<std::int64_t>(first) > -exponent;
}

// Writes a number or a bare word.
char* put_scalar(TextBuffer& to, char* at, std::string_view token) {
  const char c = token.front();
  const std::size_t sign = c == '-' ? 1 : 0;
  bool integer = token.size() > sign;
  for (std::size_t i = sign; i < token.size(); ++i) integer = integer && token[i] >= '0' && token[i] <= '9';
  if (integer && (token[sign] != '0' || token.size() == sign + 1)) return put(to, at, token == "-0" ? "0" : token);
  check_json_scalar(token);
  if (token == "true") return put(to, at, "True");
  if (token == "false") return put(to, at, "False");
  if (token == "null") return put(to, at, "None");
  double value = 0;
  const auto error = std::from_chars(token.data(), token.data() + token.size(), value).ec;
  if (error == std::errc::result_out_of_range) {
    // Python reads numbers that are too large as infinite, and numbers that are too small as 0.
    value = is_huge(token) ? HUGE_VAL : 0.0;
    if (c == '-') value = -value;
  }
  std::string shown;
  append_python_float(shown, value);
  return put(to, at, shown);
}

}  // namespace

char* TextBuffer::grow(const char* at, std::size_t n) {
  const auto used = static_cast<std::size_t>(at - data_.get());
  const std::size_t capacity = std::max<std::size_t>(2 * (used + n), 4096);
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  if (used != 0) std::memcpy(larger.get(), data_.get(), used);
  data_ = std::move(larger);
  end_ = data_.get() + capacity;
  return data_.get() + used;
}

char* write_python_text(JsonCursor& in, TextBuffer& to, char* at) {
  JsonGrammar grammar;
  do {
    at = to.reserve(at, 2 * step);
    const char c = in.peek();
    const JsonTokenKind token = json_token(c);
    if (!grammar.take(token)) [[unlikely]]
      in.fail(grammar.expected());
    switch (token) {
      case JsonTokenKind::string: at = put_string(to, at, in.string()); break;
      case JsonTokenKind::scalar: at = put_scalar(to, at, in.scalar()); break;
      case JsonTokenKind::comma:
      case JsonTokenKind::colon:
        *at++ = c;
        *at++ = ' ';
        in.next();
        break;
      default: *at++ = c; in.next();
    }
  } while (grammar.depth() != 0);
  return at;
}

void append_python_float(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "nan";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  std::array<char, 32> buffer{};
  const char* const end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = text.find('e');
  int exponent = 0;
  const char* digits_of_exponent = text.data() + e + 1;
  if (*digits_of_exponent == '+') ++digits_of_exponent;
  (void)std::from_chars(digits_of_exponent, end, exponent);
  if (exponent < -4 || exponent >= 16) {
    out += text.substr(0, e + 2);  // including the sign
    const std::string_view power = text.substr(e + 2);
    if (power.size() < 2) out += '0';
    out += power;
    return;
  }
  std::string digits;
  for (const char c : text.substr(0, e)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  if (text.front() == '-') out += '-';
  if (exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-exponent - 1), '0');
    out += digits;
    return;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) {
    out += digits;
    out.append(whole - digits.size(), '0');
    out += ".0";
  } else {
    out.append(digits, 0, whole);
    out += '.';
    out.append(digits, whole);
  }
}

void append_python_string(std::string& out, std::string_view text) {
  const char quote =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
  out += quote;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n' || c == '\r' || c == '\t') {
      out += '\\';
      out += c == '\n' ? 'n' : c == '\r' ? 'r' : 't';
    } else if (byte < 0x20 || byte == 0x7f) {
      append_escape(out, byte);
    } else if (byte < 0x80) {
      out += c;
    } else {
      const std::size_t n = std::max<std::size_t>(sequence_length(text, i), 1);
      const std::uint32_t code = n == 1 ? byte : decode_utf8(text.substr(i, n));
      if (is_printable(code)) {
        out.append(text, i, n);
      } else {
        append_escape(out, code);
      }
      i += n - 1;
    }
  }
  out += quote;
}

}  // namespace convert
