// SPDX-License-Identifier: MIT
// Forwarding modes of network devices.
#pragma once

#include <cstdint>
#include <string_view>

namespace convert {

// When a device forwards a message. store: after the whole message has arrived. cut: after its head has arrived;
// the tail follows at the rate of the slowest link before. switches: switches cut, NPUs store. In each mode whole
// messages queue for a link, in unbounded queues.
enum class Forwarding : std::uint8_t { switches, store, cut };
inline constexpr Forwarding all_forwarding[] = {Forwarding::switches, Forwarding::store, Forwarding::cut};

[[nodiscard]] constexpr std::string_view name(Forwarding forwarding) {
  switch (forwarding) {
    case Forwarding::switches: return "switches";
    case Forwarding::store: return "store";
    case Forwarding::cut: return "cut";
  }
  return "";
}
[[nodiscard]] constexpr std::string_view describe(Forwarding forwarding) {
  switch (forwarding) {
    case Forwarding::switches: return "cut-through at switches";
    case Forwarding::store: return "store-and-forward";
    case Forwarding::cut: return "cut-through";
  }
  return "";
}

}  // namespace convert
