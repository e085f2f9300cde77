// SPDX-License-Identifier: MIT
#include "core/algorithm/network_id.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace convert {
namespace {

std::uint64_t mixed(std::uint64_t h, std::uint64_t value) {
  h = (h ^ value) * 0x9e3779b97f4a7c15U;
  return h ^ h >> 29U;
}

// Returns the first six digits of a rate, and their decimal exponent.
std::uint64_t six_digits(double bytes_per_ns) {
  if (!(bytes_per_ns > 0) || !std::isfinite(bytes_per_ns)) return 0;
  constexpr double digits = 5;
  constexpr std::uint64_t beyond = 1'000'000;
  double place = std::floor(std::log10(bytes_per_ns)) - digits;
  auto number = static_cast<std::uint64_t>(std::llround(bytes_per_ns / std::pow(10.0, place)));
  if (number == beyond) {
    number /= 10;
    ++place;
  }
  return number | static_cast<std::uint64_t>(static_cast<std::int64_t>(place)) << 32U;
}

std::string hex(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; value >>= 4U) text[i] = "0123456789abcdef"[value & 15U];
  return text;
}

std::string_view links_of(std::string_view id) { return id.substr(0, id.rfind('-')); }

}  // namespace

std::string network_id(std::uint32_t npus, std::uint32_t switches, std::vector<IdentifiedLink> links) {
  std::ranges::sort(links, {}, [](const IdentifiedLink& l) { return std::tuple(l.from, l.to); });
  std::uint64_t ends = 0;
  std::uint64_t rates = 0;
  for (const IdentifiedLink& l : links) {
    ends = mixed(ends, std::uint64_t{l.from} << 32U | l.to);
    rates = mixed(mixed(rates, six_digits(l.bytes_per_ns)), static_cast<std::uint64_t>(l.latency_ps));
  }
  return std::to_string(npus) + '.' + std::to_string(switches) + '.' + std::to_string(links.size()) + '-' +
         hex(ends) + '-' + hex(rates);
}

bool same_links(std::string_view a, std::string_view b) {
  return !a.empty() && !b.empty() && links_of(a) == links_of(b);
}

}  // namespace convert
