// SPDX-License-Identifier: MIT
// Computes with times as Python does: integers stay integers, everything else is a double.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace convert::compat {

// A time in µs. Whole numbers are below 2^53, so that a double holds them exactly.
struct Number {
  double value = 0;
  bool whole = true;
};
inline Number operator+(Number a, Number b) { return {a.value + b.value, a.whole && b.whole}; }
inline Number operator-(Number a, Number b) { return {a.value - b.value, a.whole && b.whole}; }

inline constexpr std::int64_t largest_exact = (std::int64_t{1} << 53U) - 1;  // in a double

// Returns the double nearest to ns / 1000: the value of the decimal text of the microseconds when read back.
inline double nearest_microseconds(std::int64_t ns) {
  if (ns <= largest_exact) return static_cast<double>(ns) / 1000.0;
  // Fixed-point arithmetic, as ns itself has no exact double.
  const auto whole = static_cast<std::uint64_t>(ns) / 1000;
  const int fraction_bits = 53 - static_cast<int>(std::bit_width(whole));
  const std::uint64_t scaled = static_cast<std::uint64_t>(ns) % 1000 << static_cast<unsigned>(fraction_bits);
  std::uint64_t result = (whole << static_cast<unsigned>(fraction_bits)) + scaled / 1000;
  const std::uint64_t rest = scaled % 1000;
  if (rest > 500 || (rest == 500 && (result & 1U) != 0)) ++result;
  return std::ldexp(static_cast<double>(result), -fraction_bits);
}

// Returns `ns` nanoseconds in µs: truncated if `whole`, else the nearest double.
inline Number microseconds(std::int64_t ns, bool whole) {
  const std::int64_t whole_us = ns / 1000;
  return whole ? Number{static_cast<double>(whole_us), true} : Number{nearest_microseconds(ns), false};
}

}  // namespace convert::compat
