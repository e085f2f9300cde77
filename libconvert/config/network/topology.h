// SPDX-License-Identifier: MIT
// Topologies of the n NPUs of a dimension, coordinates 0 to n-1. To add one, write a struct here and its line in
// topologies.def. Routes, link numbers, delays, bounds and symmetries follow from the struct; default_system()
// chooses native algorithms by has_switch and port_is_coordinate, otherwise ring. Its section in et-networks(5)
// is written by hand.
//
// An NPU has a fixed number of ports in a dimension, each with at most one outgoing link. Each struct defines:
//   name, word           names in an ASTRA-sim network.yml and in the short form
//   in_network_yml       whether ASTRA-sim supports it
//   takes_sizes          whether the short form accepts AxBxC for several dimensions
//   has_switch           all links lead to a switch, on port 0, and from the switch, on port 1
//   port_is_coordinate   port p leads to coordinate p
//   symmetries           coordinate permutations that map links to links
//   ports(n)             number of ports of an NPU
//   port(from, to, n)    port of a message from one coordinate to another
//   other_end(at, p, n)  coordinate that port p leads to; `at` itself for a switch or a missing link
//   before(from, to, n)  last coordinate before `to` on a message's route; `to` itself with a switch
//   hops(from, to, n)    number of links on the route
//   wires(at, n)         number of links out of an NPU
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace convert {

// Coordinate permutations that map links to links: adding a number modulo n (shift); adding or XOR with a number,
// the same operation in all traces (either); both operations, even in one trace (both).
enum class Symmetries : std::uint8_t { none, shift, either, both };

namespace topologies {

using Coordinate = std::uint32_t;

// Neighbours are connected, and so are the two ends. Messages take the shorter direction, upward if both are
// equally long. A ring of two has one link in each direction.
struct Ring {
  static constexpr std::string_view name = "Ring";
  static constexpr std::string_view word = "ring";
  static constexpr bool in_network_yml = true;
  static constexpr bool takes_sizes = false;
  static constexpr bool has_switch = false;
  static constexpr bool port_is_coordinate = false;
  static constexpr Symmetries symmetries = Symmetries::shift;

  static constexpr Coordinate up(Coordinate at, Coordinate n) { return at + 1 == n ? 0 : at + 1; }
  static constexpr Coordinate down(Coordinate at, Coordinate n) { return (at == 0 ? n : at) - 1; }
  static constexpr Coordinate clockwise(Coordinate from, Coordinate to, Coordinate n) {
    return to > from ? to - from : to + n - from;
  }
  static constexpr std::uint32_t ports(Coordinate) { return 2; }
  static constexpr std::uint32_t port(Coordinate from, Coordinate to, Coordinate n) {
    const Coordinate ahead = clockwise(from, to, n);
    return ahead <= n - ahead ? 0 : 1;
  }
  static constexpr Coordinate other_end(Coordinate at, std::uint32_t port, Coordinate n) {
    if (port == 0) return up(at, n);
    return n == 2 ? at : down(at, n);
  }
  static constexpr Coordinate before(Coordinate from, Coordinate to, Coordinate n) {
    return port(from, to, n) == 0 ? down(to, n) : up(to, n);
  }
  static constexpr std::uint32_t hops(Coordinate from, Coordinate to, Coordinate n) {
    const Coordinate ahead = clockwise(from, to, n);
    return std::min(ahead, n - ahead);
  }
  static constexpr std::uint32_t wires(Coordinate, Coordinate n) { return n > 2 ? 2 : 1; }
};

struct FullyConnected {
  static constexpr std::string_view name = "FullyConnected";
  static constexpr std::string_view word = "fully_connected";
  static constexpr bool in_network_yml = true;
  static constexpr bool takes_sizes = false;
  static constexpr bool has_switch = false;
  static constexpr bool port_is_coordinate = true;
  static constexpr Symmetries symmetries = Symmetries::either;  // a port leads to a sum or to an XOR

  static constexpr std::uint32_t ports(Coordinate n) { return n; }
  static constexpr std::uint32_t port(Coordinate, Coordinate to, Coordinate) { return to; }
  static constexpr Coordinate other_end(Coordinate, std::uint32_t port, Coordinate) { return port; }
  static constexpr Coordinate before(Coordinate from, Coordinate, Coordinate) { return from; }
  static constexpr std::uint32_t hops(Coordinate, Coordinate, Coordinate) { return 1; }
  static constexpr std::uint32_t wires(Coordinate, Coordinate n) { return n - 1; }
};

struct Switched {
  static constexpr std::string_view name = "Switch";
  static constexpr std::string_view word = "switch";
  static constexpr bool in_network_yml = true;
  static constexpr bool takes_sizes = false;
  static constexpr bool has_switch = true;
  static constexpr bool port_is_coordinate = false;
  static constexpr Symmetries symmetries = Symmetries::both;

  static constexpr std::uint32_t ports(Coordinate) { return 2; }
  static constexpr std::uint32_t port(Coordinate, Coordinate, Coordinate) { return 0; }
  static constexpr Coordinate other_end(Coordinate at, std::uint32_t, Coordinate) { return at; }  // the switch
  static constexpr Coordinate before(Coordinate, Coordinate to, Coordinate) { return to; }
  static constexpr std::uint32_t hops(Coordinate, Coordinate, Coordinate) { return 2; }
  static constexpr std::uint32_t wires(Coordinate, Coordinate) { return 1; }
};

// Line: neighbours are connected, the two ends are not.
struct Mesh {
  static constexpr std::string_view name = "Mesh";
  static constexpr std::string_view word = "mesh";
  static constexpr bool in_network_yml = false;
  static constexpr bool takes_sizes = true;
  static constexpr bool has_switch = false;
  static constexpr bool port_is_coordinate = false;
  static constexpr Symmetries symmetries = Symmetries::none;

  static constexpr std::uint32_t ports(Coordinate) { return 2; }
  static constexpr std::uint32_t port(Coordinate from, Coordinate to, Coordinate) { return to > from ? 0 : 1; }
  static constexpr Coordinate other_end(Coordinate at, std::uint32_t port, Coordinate n) {
    if (at == (port == 0 ? n - 1 : 0)) return at;
    return port == 0 ? at + 1 : at - 1;
  }
  static constexpr Coordinate before(Coordinate from, Coordinate to, Coordinate) {
    return to > from ? to - 1 : to + 1;
  }
  static constexpr std::uint32_t hops(Coordinate from, Coordinate to, Coordinate) {
    return from < to ? to - from : from - to;
  }
  static constexpr std::uint32_t wires(Coordinate at, Coordinate n) { return at != 0 && at != n - 1 ? 2 : 1; }
};

}  // namespace topologies

enum class Topology : std::uint8_t {
#define TOPOLOGY(id, type) id,
#include "config/network/topologies.def"
#undef TOPOLOGY
};

// Calls fn with the struct of the topology and returns the result.
template <class Fn>
constexpr auto with(Topology topology, const Fn& fn) {
  switch (topology) {
#define TOPOLOGY(id, type) \
  case Topology::id:       \
    return fn(topologies::type{});
#include "config/network/topologies.def"
#undef TOPOLOGY
  }
  __builtin_unreachable();
}

// Calls fn for each topology, in the order of the table.
template <class Fn>
constexpr void for_each_topology(const Fn& fn) {
#define TOPOLOGY(id, type) fn(Topology::id, topologies::type{});
#include "config/network/topologies.def"
#undef TOPOLOGY
}

[[nodiscard]] constexpr std::string_view name(Topology topology) {
  return with(topology, [](auto t) { return t.name; });
}
[[nodiscard]] constexpr bool has_switch(Topology topology) {
  return with(topology, [](auto t) { return t.has_switch; });
}
// Returns the number of links on the route between two different coordinates.
[[nodiscard]] constexpr std::uint32_t hops(Topology topology, std::uint32_t from, std::uint32_t to,
                                           std::uint32_t n) {
  return with(topology, [&](auto t) { return t.hops(from, to, n); });
}

}  // namespace convert
