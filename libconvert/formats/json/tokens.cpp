// SPDX-License-Identifier: MIT
#include "formats/json/tokens.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "util/utf8.h"

namespace convert {
namespace {

// Returns the bits of a double or float, including the values that JSON has no number for.
template <typename T, typename Bits>
std::uint64_t floating(std::string_view token, std::string_view key) {
  T result = 0;
  if (is_json_string(token)) {
    const std::string_view t = token.substr(1, token.size() - 2);
    constexpr std::string_view payload = "NaN:0x";
    if (t == "Infinity") return std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
    if (t == "-Infinity") return std::bit_cast<Bits>(-std::numeric_limits<T>::infinity());
    if (t == "NaN") return std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN());
    if (t.starts_with(payload)) {
      Bits bits = 0;
      const auto [end, error] = std::from_chars(t.data() + payload.size(), t.data() + t.size(), bits, 16);
      if (error == std::errc() && end == t.data() + t.size() && std::isnan(std::bit_cast<T>(bits))) return bits;
    }
    throw BadJson{token.data(), json_quoted(key) + " must be a number, \"NaN\", \"Infinity\" or \"-Infinity\""};
  }
  if (!is_json_number(token)) throw BadJson{token.data(), json_quoted(key) + " must be a number"};
  const auto error = std::from_chars(token.data(), token.data() + token.size(), result).ec;
  if (error != std::errc()) {
    throw BadJson{token.data(), json_quoted(key) + ": " + std::string(token.substr(0, 80)) + " is out of range"};
  }
  return std::bit_cast<Bits>(result);
}

// Returns the digits of a number in scientific notation, which jq writes for large integers (1.7e+18). Returns
// nothing if it is not an integer, or far exceeds 64 bits.
std::optional<std::string> plain_digits(std::string_view number) {
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  int exponent = 0;
  if (e < number.size()) {
    const std::size_t digits = e + (number[e + 1] == '+' ? 2 : 1);
    const char* const end = number.data() + number.size();
    if (std::from_chars(number.data() + digits, end, exponent).ec != std::errc()) return std::nullopt;
  }
  std::string plain(number.substr(0, e));
  if (const std::size_t point = plain.find('.'); point != std::string::npos) {
    exponent -= static_cast<int>(plain.size() - point - 1);
    plain.erase(point, 1);
  }
  for (; exponent < 0 && plain.size() > 1 && plain.back() == '0'; ++exponent) plain.pop_back();
  constexpr int most_zeros = 20;
  if (exponent < 0 || exponent > most_zeros) return std::nullopt;
  return plain.append(static_cast<std::size_t>(exponent), '0');
}

}  // namespace

bool is_json_number(std::string_view t) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t begin = i;
    while (i < t.size() && t[i] >= '0' && t[i] <= '9') ++i;
    return i - begin;
  };
  if (i < t.size() && t[i] == '-') ++i;
  const std::size_t whole = i;
  const std::size_t n = digits();
  if (n == 0 || (n > 1 && t[whole] == '0')) return false;
  if (i < t.size() && t[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < t.size() && (t[i] == 'e' || t[i] == 'E')) {
    ++i;
    if (i < t.size() && (t[i] == '+' || t[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == t.size();
}

std::string json_quoted(std::string_view s) { return "'" + std::string(cut_to(s, 80)) + "'"; }

template <typename T>
T json_integer(std::string_view token, std::string_view key) {
  std::string_view t = is_json_string(token) ? token.substr(1, token.size() - 2) : token;
  std::optional<std::string> plain;
  const bool number = is_json_number(t);
  const bool whole = number && t.find_first_of(".eE") == std::string_view::npos;
  if (number && !whole) plain = plain_digits(t);
  if (!whole && !plain) throw BadJson{token.data(), json_quoted(key) + " must be an integer"};
  if (plain) t = *plain;
  T result = 0;
  const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), result);
  if (error == std::errc() && end == t.data() + t.size()) return result;
  if constexpr (std::is_unsigned_v<T>) {
    if (t == "-0") return 0;
  }
  throw BadJson{token.data(), json_quoted(key) + ": " + std::string(t.substr(0, 80)) + " is out of range (" +
                                  std::to_string(std::numeric_limits<T>::min()) + "…" +
                                  std::to_string(std::numeric_limits<T>::max()) + ")"};
}

template std::int32_t json_integer(std::string_view, std::string_view);
template std::int64_t json_integer(std::string_view, std::string_view);
template std::uint32_t json_integer(std::string_view, std::string_view);
template std::uint64_t json_integer(std::string_view, std::string_view);

std::uint64_t json_number(std::string_view token, Kind scalar, std::string_view key) {
  switch (scalar) {
    case Kind::double_val: return floating<double, std::uint64_t>(token, key);
    case Kind::float_val: return floating<float, std::uint32_t>(token, key);
    case Kind::int32_val:
    case Kind::sint32_val:
    case Kind::sfixed32_val:
      return static_cast<std::uint64_t>(std::int64_t{json_integer<std::int32_t>(token, key)});
    case Kind::uint32_val:
    case Kind::fixed32_val: return json_integer<std::uint32_t>(token, key);
    case Kind::uint64_val:
    case Kind::fixed64_val: return json_integer<std::uint64_t>(token, key);
    case Kind::bool_val: {
      if (token != "true" && token != "false")
        throw BadJson{token.data(), json_quoted(key) + " must be true or false"};
      return token == "true" ? 1 : 0;
    }
    default: return static_cast<std::uint64_t>(json_integer<std::int64_t>(token, key));
  }
}

std::size_t JsonKeys::index(std::string_view key, std::size_t guess) {
  std::size_t i = known_[guess] == key ? guess : next_;  // keys mostly come in the order in which etkit writes them
  while (i < known_.size() && known_[i] != key) ++i;
  if (i == known_.size()) i = static_cast<std::size_t>(std::ranges::find(known_, key) - known_.begin());
  if (i == known_.size()) {
    const std::string near = nearest(key.substr(0, 80), std::vector<std::string>(known_.begin(), known_.end()));
    throw BadJson{key.data(),
                  "unknown key " + json_quoted(key) + (near.empty() ? "" : "; did you mean '" + near + "'?")};
  }
  if (seen(i)) throw BadJson{key.data(), "key " + json_quoted(key) + " is given twice"};
  seen_ |= std::uint64_t{1} << i;
  next_ = i + 1;
  return i;
}

}  // namespace convert
