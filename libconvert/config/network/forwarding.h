// SPDX-License-Identifier: MIT
// Says when devices of a network send on what comes to them.
#pragma once

#include <cstdint>
#include <string_view>

namespace convert {

// Says when a device sends a message on. store: when all of it has come. cut: when its head has come; the tail
// follows at the pace of the slowest wire before. switches: switches cut, NPUs store. Whole messages wait for a
// wire in any case, in queues without limit.
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
