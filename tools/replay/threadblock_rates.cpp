// SPDX-License-Identifier: MIT
#include "replay/threadblock_rates.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "core/units.h"

namespace tools {

using namespace convert;

namespace {

// Bytes a nanosecond that a threadblock was measured to send, by Protocol: 1 GiB all-gathers around 8 MI300X with
// one channel (86.4 ms with Simple, 598.6 ms with LL). LL128: Simple's, as 15 of 16 words are data.
constexpr std::array<double, 3> measured = {10.9, 1.57, 10.9};

std::string rate_text(double bytes_per_ns) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.3g GB/s", bytes_per_ns);
  return text.data();
}

}  // namespace

std::optional<std::string> threadblock_note(const Algorithm* algorithm, const ReplayResult& result) {
  if (algorithm == nullptr || algorithm->scheduled || result.ideal_network || result.total_ps <= 0)
    return std::nullopt;
  double most = 0;  // bytes of a threadblock
  std::uint32_t senders = 0;
  for (std::size_t r = 0; r < std::min(algorithm->gpus.size(), result.npus.size()); ++r) {
    const auto tbs = algorithm->threadblocks(algorithm->gpus[r]);
    const auto sending =
        static_cast<std::uint32_t>(std::ranges::count_if(tbs, [](const Threadblock& t) { return t.send >= 0; }));
    if (sending == 0) continue;
    const double bytes = static_cast<double>(result.npus[r].bytes_sent) / sending;
    if (bytes > most) senders = sending;
    most = std::max(most, bytes);
  }
  const double bytes_per_ns = most * static_cast<double>(ps_per_ns) / static_cast<double>(result.total_ps);
  const double limit = measured[static_cast<std::size_t>(algorithm->protocol)];
  if (bytes_per_ns <= limit) return std::nullopt;
  return "the rate of a threadblock and the cost of protocol " + std::string(name(algorithm->protocol)) +
         " are not simulated: " +
         (senders == 1 ? "the one sending threadblock"
                       : "each of the " + std::to_string(senders) + " sending threadblocks") +
         " of a GPU sends " + rate_text(bytes_per_ns) + ", and about " + rate_text(limit) +
         " was measured (WHAT IS NOT SIMULATED in et-replay(1))";
}

}  // namespace tools
