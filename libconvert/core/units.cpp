// SPDX-License-Identifier: MIT
#include "core/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

namespace convert {
namespace {

__extension__ using Int128 = __int128;

// A decimal number, digits / 10^fraction, so that "1.5KiB" stays exact, and the unit after it.
struct Quantity {
  Int128 digits = 0;
  int fraction = 0;
  std::string_view unit;
};

std::optional<Quantity> split(std::string_view text) {
  Quantity q;
  std::size_t i = 0;
  bool any = false;
  bool after_point = false;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !after_point) {
      after_point = true;
    } else if (text[i] >= '0' && text[i] <= '9') {
      if (q.digits > (static_cast<Int128>(1) << 100)) return std::nullopt;
      q.digits = q.digits * 10 + (text[i] - '0');
      q.fraction += after_point ? 1 : 0;
      any = true;
    } else {
      break;
    }
  }
  if (!any || q.fraction > 18) return std::nullopt;
  while (i < text.size() && text[i] == ' ') ++i;
  q.unit = text.substr(i);
  return q;
}

// Returns digits × scale / 10^fraction if it is a whole number within int64.
std::optional<std::int64_t> exact(const Quantity& q, Int128 scale) {
  Int128 divisor = 1;
  for (int i = 0; i < q.fraction; ++i) divisor *= 10;
  Int128 product = 0;
  if (__builtin_mul_overflow(q.digits, scale, &product) || product % divisor != 0) return std::nullopt;
  product /= divisor;
  if (product > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(product);
}

struct Unit {
  std::string_view name;
  Int128 scale;
};

constexpr Int128 kilo = 1000, mega = kilo * 1000, giga = mega * 1000, tera = giga * 1000;
constexpr Int128 kibi = 1024, mebi = kibi * 1024, gibi = mebi * 1024, tebi = gibi * 1024;
constexpr std::array byte_units = {Unit{"", 1},       Unit{"B", 1},      Unit{"KB", kilo},  Unit{"kB", kilo},
                                   Unit{"MB", mega},  Unit{"GB", giga},  Unit{"TB", tera},  Unit{"KiB", kibi},
                                   Unit{"kiB", kibi}, Unit{"MiB", mebi}, Unit{"GiB", gibi}, Unit{"TiB", tebi}};
// "us" for keyboards, "µs" with the micro sign and with the Greek letter.
constexpr std::array<Unit, 8> time_units = {{{"", kilo},
                                             {"ps", 1},
                                             {"ns", kilo},
                                             {"us", mega},
                                             {"\u00b5s", mega},
                                             {"\u03bcs", mega},
                                             {"ms", giga},
                                             {"s", tera}}};

std::optional<std::int64_t> parse_exact(std::string_view text, std::span<const Unit> units) {
  const auto q = split(text);
  if (!q) return std::nullopt;
  const auto unit = std::ranges::find(units, q->unit, &Unit::name);
  return unit == units.end() ? std::nullopt : exact(*q, unit->scale);
}

template <typename T>
std::optional<T> parse_all(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Returns the number, rounded to `digits` digits, and a unit. Equals "%.6g %s", but is three times as fast.
std::string number_text(double value, int digits, std::string_view unit) {
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits).ptr;
  return std::string(text.data(), end).append(" ").append(unit);
}

}  // namespace

std::optional<std::int64_t> parse_bytes(std::string_view text) { return parse_exact(text, byte_units); }
std::optional<Picoseconds> parse_time(std::string_view text) { return parse_exact(text, time_units); }

std::optional<double> parse_bandwidth(std::string_view text) {
  using Rate = std::pair<std::string_view, double>;
  static constexpr std::array units = {Rate{"B/s", 1.0},        Rate{"KB/s", 1e3},       Rate{"MB/s", 1e6},
                                       Rate{"GB/s", 1e9},       Rate{"TB/s", 1e12},      Rate{"KiB/s", 0x1p10},
                                       Rate{"MiB/s", 0x1p20},   Rate{"GiB/s", 0x1p30},   Rate{"TiB/s", 0x1p40},
                                       Rate{"Mbit/s", 1e6 / 8}, Rate{"Gbit/s", 1e9 / 8}, Rate{"Tbit/s", 1e12 / 8},
                                       Rate{"Gbps", 1e9 / 8},   Rate{"Tbps", 1e12 / 8}};
  const auto q = split(text);
  if (!q || q->digits == 0) return std::nullopt;
  for (const auto& [name, scale] : units) {
    if (name == q->unit) return static_cast<double>(q->digits) * scale / std::pow(10.0, q->fraction);
  }
  return std::nullopt;
}

std::optional<double> parse_bytes_per_ns(std::string_view text) {
  constexpr std::string_view unit = "GB/s";
  if (!text.ends_with(unit)) {
    const std::optional<double> bytes_per_s = parse_bandwidth(text);
    return bytes_per_s ? std::optional(*bytes_per_s / 1e9) : std::nullopt;
  }
  std::string_view number = text.substr(0, text.size() - unit.size());
  while (number.ends_with(' ')) number.remove_suffix(1);
  if (number.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  const std::optional<double> rate = parse_number(number);
  return rate && *rate > 0 ? rate : std::nullopt;
}

std::string format_bytes_per_ns(double rate) {
  std::array<char, 400> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), rate, std::chars_format::fixed).ptr;
  return std::string(text.data(), end).append("GB/s");
}

std::string counted(std::uint64_t n, std::string_view one) {
  return std::to_string(n) + ' ' + std::string(one) + (n == 1 ? "" : "s");
}

std::optional<std::int64_t> parse_int(std::string_view text) { return parse_all<std::int64_t>(text); }
std::optional<std::uint64_t> parse_unsigned(std::string_view text) { return parse_all<std::uint64_t>(text); }
std::optional<double> parse_number(std::string_view text) {
  const auto value = parse_all<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}
std::optional<std::uint64_t> parse_plain(std::string_view text, std::uint64_t most) {
  const auto value = text.starts_with('0') && text.size() > 1 ? std::nullopt : parse_unsigned(text);
  return value && *value <= most ? value : std::nullopt;
}

std::string format_bytes(std::int64_t bytes) {
  static constexpr std::array<std::string_view, 5> names = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (std::fabs(value) >= 1024 && unit + 1 < names.size()) {
    value /= 1024;
    ++unit;
  }
  return number_text(value, 4, names[unit]);
}

std::string format_exact(Picoseconds time, Picoseconds unit_ps) {
  const auto unit = static_cast<std::uint64_t>(unit_ps);
  const auto size = time < 0 ? 0 - static_cast<std::uint64_t>(time) : static_cast<std::uint64_t>(time);
  std::string text = (time < 0 ? "-" : "") + std::to_string(size / unit);
  if (size % unit == 0) return text;
  std::string decimals = std::to_string(unit + size % unit).substr(1);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return text + '.' + decimals;
}

std::string format_exact_time(Picoseconds time) {
  static constexpr std::array<std::pair<const char*, Picoseconds>, 4> units = {
      {{" s", 1'000'000'000'000}, {" ms", 1'000'000'000}, {" µs", 1'000'000}, {" ns", 1'000}}};
  const auto size = time < 0 ? 0 - static_cast<std::uint64_t>(time) : static_cast<std::uint64_t>(time);
  for (const auto& [name, scale] : units) {
    if (size >= static_cast<std::uint64_t>(scale)) return format_exact(time, scale) + name;
  }
  return std::to_string(time) + " ps";
}

std::string format_time(Picoseconds time) {
  static constexpr std::array<std::pair<std::string_view, double>, 5> units = {
      {{"s", 1e12}, {"ms", 1e9}, {"µs", 1e6}, {"ns", 1e3}, {"ps", 1}}};
  const auto value = static_cast<double>(time);
  for (const auto& [name, scale] : units) {
    if (std::fabs(value) >= scale || scale == 1) return number_text(value / scale, 6, name);
  }
  return "0 ps";
}

}  // namespace convert
