// SPDX-License-Identifier: MIT
// How messages share routes of equal cost.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace convert {

// Use of equal-cost routes: routes through switches, between the same NPUs, with the same least sum of weights.
// split: each message is split in proportion to the bandwidths of the links where routes diverge, evenly on equal
//   links (adaptive routing, packet spraying, planes of NVSwitches).
// hash: one route for all messages of a source, destination and tag, by a hash with a seed (ECMP).
// single: one route for all messages, see Routing::shortest.
enum class Multipath : std::uint8_t { split, hash, single };

[[nodiscard]] constexpr std::string_view name(Multipath multipath) {
  switch (multipath) {
    case Multipath::split: return "split";
    case Multipath::hash: return "hash";
    case Multipath::single: return "single";
  }
  return "";
}
struct RouteSpread {
  Multipath multipath = Multipath::single;
  std::uint64_t seed = 0;    // for hash
  bool names_links = false;  // messages name links, so links are not bundled; see bundle_links()
};

// Return the option value, "hash,seed=7", and a description, "messages split over equal-cost routes".
[[nodiscard]] std::string name(const RouteSpread& spread);
[[nodiscard]] std::string describe(const RouteSpread& spread);

}  // namespace convert
