// SPDX-License-Identifier: MIT
#include "formats/json/values.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace convert {
namespace {

std::string_view without_quotes(std::string_view s) { return is_json_string(s) ? s.substr(1, s.size() - 2) : s; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Returns whether the digits form a JSON integer: at least one digit, and no leading zero.
bool is_whole_number(std::string_view digits) {
  return !digits.empty() && is_digit(digits.front()) && (digits.front() != '0' || digits.size() == 1);
}

// Returns the integer; nothing if `token` is not an integer as a whole, or exceeds T.
template <class T>
std::optional<T> exact_integer(std::string_view token) {
  T value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  if (!is_whole_number(token.substr(token.front() == '-' ? 1 : 0))) return std::nullopt;
  return value;
}

// Reads a list of 64-bit integers. Returns false, without moving the cursor, if the value is another one.
bool add_integers(AttrTable& to, Name name, JsonCursor& in) {
  JsonCursor at = in;
  const std::size_t begin = to.numbers.size();
  at.expect('[');
  bool integers = at.take(']');
  while (!integers) {
    const char c = at.peek();
    if (c != '-' && !is_digit(c)) break;
    const auto value = exact_integer<std::int64_t>(at.scalar());
    if (!value) break;
    to.numbers.push_back(static_cast<std::uint64_t>(*value));
    integers = at.take(']');
    if (!integers && !at.take(',')) break;
  }
  if (!integers) {
    to.numbers.resize(begin);
    return false;
  }
  to.attrs.push_back({.name = name,
                      .kind = Kind::int64_list,
                      .size = static_cast<std::uint32_t>(to.numbers.size() - begin),
                      .bits = begin});
  in = at;
  return true;
}

}  // namespace

std::optional<std::int64_t> lenient_integer(std::string_view scalar) {
  const std::string_view t = without_quotes(scalar);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), value);
  if (error != std::errc()) return std::nullopt;
  const auto n = static_cast<std::size_t>(end - t.data());
  if (!is_whole_number(t.substr(0, n).substr(t.front() == '-' ? 1 : 0))) return std::nullopt;
  const std::string_view rest = t.substr(n);
  if (rest.empty()) return value;
  if (rest.front() != '.' || rest.size() == 1 || rest.find_first_not_of('0', 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return value;
}

std::optional<Microseconds> parse_microseconds(std::string_view scalar) {
  const std::string_view t = without_quotes(scalar);
  std::size_t i = 0;
  const bool negative = i < t.size() && t[i] == '-';
  if (negative) ++i;
  std::uint64_t value = 0;
  const std::size_t digits = i;
  for (; i < t.size() && is_digit(t[i]) && i - digits < 16; ++i)
    value = value * 10 + static_cast<unsigned>(t[i] - '0');
  bool plain = is_whole_number(t.substr(digits, i - digits)) && (i == t.size() || t[i] == '.');
  const bool whole = plain && i == t.size();
  std::uint64_t ns = value * 1000;
  bool exact = true;
  if (plain && !whole) {
    std::uint64_t scale = 100;
    const std::size_t point = i;
    for (++i; i < t.size() && is_digit(t[i]) && scale > 0; ++i, scale /= 10) {
      ns += static_cast<unsigned>(t[i] - '0') * scale;
    }
    if (i < t.size() && is_digit(t[i])) {
      if (t[i] >= '5') ++ns;
      for (; i < t.size() && is_digit(t[i]); ++i) exact = exact && t[i] == '0';
    }
    plain = i == t.size() && i > point + 1;
  }
  if (plain && ns <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return Microseconds{negative ? -static_cast<std::int64_t>(ns) : static_cast<std::int64_t>(ns), whole, exact};
  }
  // Exponents and long numbers.
  double us = 0;
  if (!is_json_number(t)) return std::nullopt;
  const auto error = std::from_chars(t.data(), t.data() + t.size(), us).ec;
  if (error != std::errc() || !std::isfinite(us) || std::fabs(us) > 9.2e15) return std::nullopt;
  return Microseconds{static_cast<std::int64_t>(std::llround(us * 1000)), false, false};
}

void add_json_attr(AttrTable& to, Name name, JsonCursor& in) {
  const char c = in.peek();
  if (c == '"') {
    std::string scratch;
    return to.add_string(name, unescaped(in.string(), scratch));
  }
  if (c == '[' && add_integers(to, name, in)) return;
  if (c == '[' || c == '{') return to.add_string(name, in.value());
  const std::string_view text = in.scalar();
  if (const auto value = exact_integer<std::int64_t>(text)) return to.add_int(name, Kind::int64_val, *value);
  check_json_scalar(text);
  if (text == "true" || text == "false") return to.add_bool(name, text == "true");
  if (const auto value = exact_integer<std::uint64_t>(text)) {
    return to.add_int(name, Kind::uint64_val, static_cast<std::int64_t>(*value));
  }
  double number = 0;
  const bool integer = text.find_first_not_of("-0123456789") == std::string_view::npos;
  const auto error = std::from_chars(text.data(), text.data() + text.size(), number).ec;
  if (!integer && error == std::errc()) return to.add_double(name, number);
  to.add_string(name, text);
}

}  // namespace convert
