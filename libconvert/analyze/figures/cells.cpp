// SPDX-License-Identifier: MIT
#include "analyze/figures/cells.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "util/json_writer.h"
#include "util/text_table.h"

namespace convert {
namespace {

// Returns the number with at most four significant digits: "0.8333", "12.5", "1024".
std::string short_number(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::fabs(value);
  if (size >= 1e15) {
    std::string out;
    append_json_number(out, value);
    return out;
  }
  const int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  std::string text = format_fixed(value, decimals);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// Returns three significant digits.
std::string three_digits(double value) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

std::string text_of(std::int64_t n, Unit unit) {
  if (unit == Unit::time) return n < 0 ? "-" + format_time(-n) : format_time(n);
  if (unit == Unit::bytes) return n < 0 ? "-" + format_bytes(-n) : format_bytes(n);
  return std::to_string(n);
}

// Returns the text of times and bytes that exceed 64 bits.
std::string large_text(double x, Unit unit) {
  constexpr double ps_per_s = 1e12, bytes_per_tib = 1099511627776.0;
  std::array<char, 32> text{};
  unit == Unit::time ? (void)std::snprintf(text.data(), text.size(), "%.6g s", x / ps_per_s)
                     : (void)std::snprintf(text.data(), text.size(), "%.4g TiB", x / bytes_per_tib);
  return text.data();
}

std::string text_of(double x, Unit unit) {
  constexpr double beyond = 9223372036854775808.0;  // 2^63
  switch (unit) {
    case Unit::time:
    case Unit::bytes:
      if (std::fabs(x) >= beyond) return large_text(x, unit);
      return text_of(static_cast<std::int64_t>(std::llround(x)), unit);
    case Unit::share: return format_fixed(100 * x, 1) + " %";
    case Unit::distance: return three_digits(x);
    case Unit::change: return (x > 0 ? "+" : "") + three_digits(100 * x) + " %";
    case Unit::gb_per_s: return format_fixed(x, x < 10 ? 3 : 2) + " GB/s";
    default: return short_number(x);
  }
}

}  // namespace

std::string text_cell(const Value& value, Unit unit) {
  if (const auto* n = std::get_if<std::int64_t>(&value)) return text_of(*n, unit);
  if (const auto* x = std::get_if<double>(&value)) return text_of(*x, unit);
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  return "-";
}

std::string raw_cell(const Value& value, Unit unit) {
  std::string out;
  if (const auto* n = std::get_if<std::int64_t>(&value)) {
    if (unit != Unit::time) return std::to_string(*n);
    return *n < 0 ? "-" + format_exact(-*n, ps_per_ns) : format_exact(*n, ps_per_ns);
  }
  if (const auto* x = std::get_if<double>(&value); x != nullptr && unit == Unit::gb_per_s && std::isfinite(*x)) {
    std::array<char, 32> text{};
    (void)std::snprintf(text.data(), text.size(), "%.6g", *x);
    append_json_number(out, std::strtod(text.data(), nullptr));
    return out;
  }
  if (const auto* x = std::get_if<double>(&value)) append_json_number(out, unit == Unit::time ? *x / 1000 : *x);
  if (const auto* s = std::get_if<std::string>(&value)) out = *s;
  return out;
}

}  // namespace convert
