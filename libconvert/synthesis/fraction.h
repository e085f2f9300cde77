// SPDX-License-Identifier: MIT
// Exact ratios of integers.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>

#include "core/diagnostic.h"

namespace convert {

__extension__ using WideInteger = __int128;
__extension__ using WideUnsigned = unsigned __int128;

// Limit of integers in the synthesis: larger ones are rejected, so that the sum of two does not overflow.
inline constexpr std::int64_t most_synthesis_integer = std::int64_t{1} << 62;

// Return sum and product of numbers ≥ 0. Throw Error(input) that names `what` if the result exceeds 2^128-1.
[[nodiscard]] inline WideUnsigned checked_product(WideUnsigned a, WideUnsigned b, const char* what) {
  WideUnsigned out = 0;
  if (__builtin_mul_overflow(a, b, &out)) throw input_error({}, std::string(what) + " is too large to be exact");
  return out;
}
[[nodiscard]] inline WideUnsigned checked_sum(WideUnsigned a, WideUnsigned b, const char* what) {
  WideUnsigned out = 0;
  if (__builtin_add_overflow(a, b, &out)) throw input_error({}, std::string(what) + " is too large to be exact");
  return out;
}

// A ratio ≥ 0; the denominator is not 0.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;

  friend bool operator==(const Fraction&, const Fraction&) = default;
  [[nodiscard]] double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
};

[[nodiscard]] inline bool less(const Fraction& a, const Fraction& b) {
  return static_cast<WideInteger>(a.numerator) * b.denominator <
         static_cast<WideInteger>(b.numerator) * a.denominator;
}

// Returns the ratio in lowest terms. Throws Error(input) if it requires more than 63 bits.
[[nodiscard]] inline Fraction reduced(WideUnsigned numerator, WideUnsigned denominator) {
  WideUnsigned a = numerator, b = denominator;
  while (b != 0) {
    const WideUnsigned rest = a % b;
    a = b;
    b = rest;
  }
  numerator /= a;
  denominator /= a;
  if (numerator > INT64_MAX || denominator > INT64_MAX)
    throw input_error({}, "a ratio of bandwidths requires numbers of more than 63 bits");
  return {static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator)};
}

}  // namespace convert
