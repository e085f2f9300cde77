// SPDX-License-Identifier: MIT
#include "passes/anonymize/times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace convert {
namespace {

using TimeReal = long double;  // holds all 64-bit times exactly

constexpr TimeReal largest_time = static_cast<TimeReal>(std::numeric_limits<std::int64_t>::max());

std::uint64_t whole_time(TimeReal time) {
  return static_cast<std::uint64_t>(std::clamp(time, TimeReal{0}, largest_time));
}

std::uint64_t scaled_time(std::uint64_t time, double scale) {
  return scale == 1 ? time : whole_time(std::round(static_cast<TimeReal>(time) * static_cast<TimeReal>(scale)));
}

// Returns the nearest number with `digits` significant digits.
std::uint64_t rounded_time(std::uint64_t time, int digits) {
  std::uint64_t unit = 1, limit = 1;
  for (int i = 0; i < digits; ++i) limit *= 10;
  while (time / unit >= limit) unit *= 10;
  const std::uint64_t rest = time % unit;
  return time - rest + (2 * rest >= unit && unit > 1 ? unit : 0);
}

}  // namespace

double TimeRule::factor(Rank rank, std::uint64_t place) const {
  if (options_.jitter == 0) return 1;
  // This prefix cannot occur in a node name, so the hash differs from all hashes of names.
  std::string text("\0jitter", 7);
  for (unsigned i = 0; i < 4; ++i) text += static_cast<char>(rank >> 8U * i & 255U);
  for (unsigned i = 0; i < 8; ++i) text += static_cast<char>(place >> 8U * i & 255U);
  const auto digest = hash_(text);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 8; ++i) bits = bits << 8U | digest.at(i);
  const double share = static_cast<double>(bits >> 11U) * 0x1p-53;
  const double low = std::log1p(-options_.jitter), high = std::log1p(options_.jitter);
  return std::exp(low + (high - low) * share);
}

std::uint64_t TimeRule::changed(std::uint64_t time, double factor) const {
  const std::uint64_t before = scaled_time(time, options_.scale);
  std::uint64_t now = before;
  if (options_.jitter != 0) {
    const TimeReal exact = static_cast<TimeReal>(before), share = static_cast<TimeReal>(options_.jitter);
    const TimeReal low = std::ceil(exact * (1 - share)), high = std::floor(exact * (1 + share));
    now = whole_time(std::clamp(std::round(exact * static_cast<TimeReal>(factor)), low, std::max(low, high)));
  }
  return options_.time_digits == 0 ? now : rounded_time(now, options_.time_digits);
}

std::uint64_t TimeRule::changed_start(std::uint64_t time) const { return scaled_time(time, options_.scale); }

double time_bound(const AnonymizeOptions& options) {
  const double rounding = options.time_digits == 0 ? 0 : 5 * std::pow(10, -options.time_digits);
  return (1 + options.jitter) * (1 + rounding) - 1;
}

}  // namespace convert
