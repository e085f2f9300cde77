// SPDX-License-Identifier: MIT
// Routes messages through a network, one hop at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/network/multipath.h"
#include "config/network/network.h"

namespace convert {

// dimension: a message in a product travels along dimension 0 to its destination's coordinate, then along
// dimension 1, and so on; in a ring in the shorter direction, upward if both are equally long.
// shortest: a message takes the route with the least sum of weights, by default the fewest hops; among equal routes
//   the route of least latency, then of the lowest next device. See Multipath for routes through switches.
enum class Routing : std::uint8_t { dimension, shortest };
[[nodiscard]] std::string_view name(Routing routing);

struct Hop {
  std::uint32_t wire = 0;
  double bytes_per_ns = 0;
  Picoseconds latency_ps = 0;
};

// Device that a message has reached, and its destination. `phase` is private to the router; initially 0.
struct Position {
  Device at = 0;
  Device dst = 0;
  std::uint32_t phase = 0;
};

// Network link that a router's link represents: a single link, or one link of a bundle.
struct RoutedLink {
  std::uint32_t number = 0;
  Device from = 0;
  Device to = 0;
  double bytes_per_ns = 0;
};

class Router {
 public:
  virtual ~Router() = default;
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  // Takes the next hop and returns it; the message has arrived if `at` equals `dst`. They must differ at the
  // first hop, except in a product of one switch, through which an NPU can send to itself.
  virtual Hop step(Position& position) = 0;
  // Returns the links of equal cost over which a message is split at this position (see Multipath); empty if
  // step() takes the only link.
  [[nodiscard]] virtual std::span<const std::uint32_t> ties(const Position& position);
  // Takes one of these links and returns the hop.
  virtual Hop take(Position& position, std::uint32_t wire) const;
  // Returns the initial phase of a message if routes are chosen by hash.
  [[nodiscard]] virtual std::uint32_t flow(Device /*src*/, Device /*dst*/, std::int64_t /*tag*/) const { return 0; }
  // Returns how messages share routes, and whether any routes so far had equal cost.
  [[nodiscard]] virtual const RouteSpread& spread() const;
  [[nodiscard]] virtual bool has_ties() const { return false; }
  // Returns an exclusive upper bound of link numbers; some numbers below it have no link.
  [[nodiscard]] virtual std::uint32_t wires() const = 0;
  [[nodiscard]] virtual std::pair<Device, Device> ends(std::uint32_t wire) const = 0;
  // Returns the network links that a router's link represents. Each carries a share of the messages in proportion
  // to its bandwidth.
  [[nodiscard]] virtual std::vector<RoutedLink> links(std::uint32_t wire) const;
  // Returns the hop over a link.
  [[nodiscard]] virtual Hop hop(std::uint32_t wire) const = 0;
  [[nodiscard]] virtual std::string device_name(Device device) const = 0;

 protected:
  Router() = default;
};

// Maximum number of pairs (device, NPU) of a network with route tables, which are built when a destination is
// first used. Routes by dimension and in trees are computed and have no limit.
inline constexpr std::uint64_t max_route_entries = 1 << 27;
// Returns the message about a graph beyond max_route_entries.
[[nodiscard]] std::string too_many_routes(const WireGraph& graph);

// Returns a router for a network that is not ideal. The default `routing` is dimension in products, and shortest
// in other networks and after link failures (see remove_failed_wires). Throws Error(usage) for routing that the
// network does not support, Error(input) if the network is too large.
[[nodiscard]] std::unique_ptr<Router> make_router(const NetworkConfig& config,
                                                  std::optional<Routing> routing = std::nullopt,
                                                  const std::vector<std::string>& failed = {},
                                                  const RouteSpread& spread = {});

}  // namespace convert
