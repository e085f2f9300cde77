// SPDX-License-Identifier: MIT
#include "config/network/routes.h"

#include "config/network/shortest_routes.h"
#include "config/network/wire_numbers.h"
#include "core/diagnostic.h"
#include "core/units.h"

namespace convert {
namespace {

class ProductRouter final : public Router {
 public:
  explicit ProductRouter(const NetworkConfig& config) : numbers_(config) {}

  // `phase` is the dimension in which the message travels.
  Hop step(Position& p) override {
    const std::vector<ProductWires::Dim>& dims = numbers_.dims();
    if (p.at >= numbers_.npus()) return leave_switch(p, dims[p.phase]);
    for (std::uint32_t d = p.phase; d < dims.size(); ++d) {
      const std::uint32_t from = numbers_.coordinate(dims[d], p.at);
      const std::uint32_t to = numbers_.coordinate(dims[d], p.dst);
      if (from == to) continue;
      p.phase = d;
      return take_hop(p, dims[d], from, to);
    }
    return take_hop(p, dims[0], 0, 0);  // from an NPU to itself, through a switch
  }
  [[nodiscard]] std::uint32_t wires() const override { return numbers_.wires(); }
  [[nodiscard]] std::pair<Device, Device> ends(std::uint32_t wire) const override { return numbers_.ends(wire); }
  [[nodiscard]] Hop hop(std::uint32_t wire) const override {
    const Dim& d = numbers_.dim_of(wire);
    return {wire, d.bytes_per_ns, d.latency_ps};
  }
  [[nodiscard]] std::string device_name(Device device) const override { return numbers_.device_name(device); }

 private:
  using Dim = ProductWires::Dim;
  static Hop hop_of(const Dim& d, std::uint32_t npu, std::uint32_t port) {
    return {d.first_wire + npu * d.ports + port, d.bytes_per_ns, d.latency_ps};
  }

  static Hop take_hop(Position& p, const Dim& d, std::uint32_t from, std::uint32_t to) {
    const Device npu = p.at;
    const std::uint32_t port = with(d.topology, [&](auto t) {
      const std::uint32_t taken = t.port(from, to, d.npus);
      if constexpr (t.has_switch) {
        p.at = ProductWires::switch_of(d, npu);
      } else {
        p.at += (t.other_end(from, taken, d.npus) - from) * d.stride;  // modulo 2^32
      }
      return taken;
    });
    return hop_of(d, npu, port);
  }

  // Moves to the NPU below the switch that has the destination's coordinate.
  Hop leave_switch(Position& p, const Dim& d) const {
    const std::uint32_t instance = p.at - d.first_switch;
    const std::uint32_t to = numbers_.coordinate(d, p.dst);
    p.at = (d.by_stride.quotient(instance) * d.npus + to) * d.stride + d.by_stride.remainder(instance);
    return hop_of(d, p.at, 1);
  }

  ProductWires numbers_;
};

class TreeRouter final : public Router {
 public:
  explicit TreeRouter(const NetworkConfig& config) : numbers_(config) {}

  // `phase` is the height of the device: 0 for an NPU.
  Hop step(Position& p) override {
    const std::vector<TreeWires::Level>& levels = numbers_.levels();
    if (p.phase != 0) {
      const TreeWires::Level& level = levels[p.phase - 1];
      if (p.dst / level.span == p.at - level.first_switch) {  // the destination is below: go down
        const std::uint32_t child = p.phase == 1 ? p.dst : p.dst / levels[p.phase - 2].span;
        --p.phase;
        p.at = level.first_below + child;
        return {level.first_wire + 2 * child + 1, level.bytes_per_ns, level.latency_ps};
      }
    }
    const TreeWires::Level& level = levels[p.phase++];
    const std::uint32_t child = p.at - level.first_below;
    p.at = level.first_switch + child / level.fanout;
    return {level.first_wire + 2 * child, level.bytes_per_ns, level.latency_ps};
  }
  [[nodiscard]] std::uint32_t wires() const override { return numbers_.wires(); }
  [[nodiscard]] std::pair<Device, Device> ends(std::uint32_t wire) const override { return numbers_.ends(wire); }
  [[nodiscard]] Hop hop(std::uint32_t wire) const override {
    const TreeWires::Level& level = numbers_.level_of(wire);
    return {wire, level.bytes_per_ns, level.latency_ps};
  }
  [[nodiscard]] std::string device_name(Device device) const override { return numbers_.device_name(device); }

 private:
  TreeWires numbers_;
};

}  // namespace

std::span<const std::uint32_t> Router::ties(const Position& /*position*/) { return {}; }

Hop Router::take(Position& position, std::uint32_t wire) const {
  position.at = ends(wire).second;
  return hop(wire);
}

const RouteSpread& Router::spread() const {
  static const RouteSpread single;
  return single;
}

std::vector<RoutedLink> Router::links(std::uint32_t wire) const {
  const auto [from, to] = ends(wire);
  return {{wire, from, to, hop(wire).bytes_per_ns}};
}

std::string_view name(Routing routing) { return routing == Routing::dimension ? "dimension" : "shortest"; }

std::string too_many_routes(const WireGraph& graph) {
  return "shortest routes between " + counted(graph.npus, "NPU") + " over " + std::to_string(graph.devices()) +
         " devices require " + std::to_string(std::uint64_t{graph.npus} * graph.devices()) +
         " table entries; the limit is " + std::to_string(max_route_entries) + "";
}

std::unique_ptr<Router> make_router(const NetworkConfig& config, std::optional<Routing> routing,
                                    const std::vector<std::string>& failed, const RouteSpread& spread) {
  if (routing == Routing::dimension && !failed.empty())
    throw usage_error("routing by dimension cannot avoid failed links; use shortest");
  if (routing == Routing::dimension && !config.is_product())
    throw usage_error("network '" + config.source + "' has no dimensions to route by; use shortest");
  if (failed.empty()) {
    if (config.is_product() && routing != Routing::shortest) return std::make_unique<ProductRouter>(config);
    if (!config.levels.empty()) return std::make_unique<TreeRouter>(config);
  }
  WireGraph graph = build_wire_graph(config);
  if (std::uint64_t{graph.npus} * graph.devices() > max_route_entries)
    throw input_error({.file = config.source}, too_many_routes(graph));
  if (!failed.empty()) remove_failed_wires(graph, failed);
  return std::make_unique<ShortestRouter>(std::move(graph), spread);
}

}  // namespace convert
