// SPDX-License-Identifier: MIT
#include "config/network/routes.h"

#include <algorithm>
#include <map>

#include "config/network/wire_numbers.h"
#include "core/diagnostic.h"
#include "core/rows.h"
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
    return take_hop(p, dims[0], 0, 0);  // to itself, through a switch
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

  // To the NPU below it that has the destination's coordinate.
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
      if (p.dst / level.span == p.at - level.first_switch) {  // below: down
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

// Shortest ways in any graph: a table of the next wire for each destination, made when the first message goes
// there.
class TableRouter final : public Router {
 public:
  explicit TableRouter(WireGraph graph)
      : graph_(std::move(graph)),
        in_(rows_by_key(graph_.wires.size(), graph_.devices(), [&](std::size_t i) { return graph_.wires[i].to; })),
        by_hops_(std::ranges::all_of(graph_.wires, [](const GraphWire& w) { return w.weight == 1; })),
        rows_(graph_.npus) {}

  Hop step(Position& p) override {
    std::unique_ptr<std::uint32_t[]>& row = rows_[p.dst];
    if (row == nullptr) row = make_row(p.dst);
    const std::uint32_t wire = row[p.at];
    const GraphWire& l = graph_.wires[wire];
    p.at = l.to;
    return {wire, l.bytes_per_ns, l.latency_ps};
  }
  [[nodiscard]] std::uint32_t wires() const override { return static_cast<std::uint32_t>(graph_.wires.size()); }
  [[nodiscard]] std::pair<Device, Device> ends(std::uint32_t wire) const override {
    return {graph_.wires[wire].from, graph_.wires[wire].to};
  }
  [[nodiscard]] Hop hop(std::uint32_t wire) const override {
    return {wire, graph_.wires[wire].bytes_per_ns, graph_.wires[wire].latency_ps};
  }
  [[nodiscard]] std::string device_name(Device device) const override { return graph_.device_name(device); }

 private:
  static constexpr std::uint64_t none = UINT64_MAX;

  // Backwards from the destination, by distance. The row's entry for `dst` itself is the begin of the shortest way
  // out and back.
  std::unique_ptr<std::uint32_t[]> make_row(Device dst) {
    auto row = std::make_unique_for_overwrite<std::uint32_t[]>(graph_.devices());
    std::fill_n(row.get(), graph_.devices(), UINT32_MAX);
    distance_.assign(graph_.devices(), none);
    latency_.assign(graph_.devices(), 0);
    open_.clear();
    open_[0] = {dst};
    for (std::size_t found = 0; !open_.empty();) {
      const auto [distance, devices] = std::move(*open_.begin());
      open_.erase(open_.begin());
      for (const Device v : devices) {
        if (v == dst ? distance == 0 : distance_[v] == distance) found += reach_from(v, dst, distance, row.get());
      }
      if (by_hops_ && found == graph_.devices()) break;
    }
    return row;
  }

  // Takes the wires into `v` where they shorten a way. Returns how many devices are reached for the first time.
  std::size_t reach_from(Device v, Device dst, std::uint64_t distance, std::uint32_t* row) {
    std::size_t found = 0;
    for (const std::uint32_t wire : in_[v]) {
      const GraphWire& w = graph_.wires[wire];
      const Device u = w.from;
      const std::uint64_t way = distance + w.weight;
      if (distance_[u] < way) continue;
      const Picoseconds latency = add(v == dst ? 0 : latency_[v], w.latency_ps);
      if (distance_[u] > way) {
        found += distance_[u] == none ? 1 : 0;
        distance_[u] = way;
        if (u != dst) open_[way].push_back(u);
      } else if (std::pair{latency, v} >= std::pair{latency_[u], graph_.wires[row[u]].to}) {
        continue;
      }
      row[u] = wire;
      latency_[u] = latency;
    }
    return found;
  }
  static Picoseconds add(Picoseconds a, Picoseconds b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

  WireGraph graph_;
  Rows in_;                                             // wires by the device they lead to
  bool by_hops_;                                        // every wire weighs 1
  std::vector<std::unique_ptr<std::uint32_t[]>> rows_;  // by destination: by device the wire to take
  std::vector<std::uint64_t> distance_;
  std::vector<Picoseconds> latency_;
  std::map<std::uint64_t, std::vector<Device>> open_;  // by distance
};

}  // namespace

std::string_view name(Routing routing) { return routing == Routing::dimension ? "dimension" : "shortest"; }

std::string too_many_routes(const WireGraph& graph) {
  return "shortest ways between " + counted(graph.npus, "NPU") + " over " + std::to_string(graph.devices()) +
         " devices want " + std::to_string(std::uint64_t{graph.npus} * graph.devices()) +
         " table entries; at most " + std::to_string(max_route_entries) + " are taken";
}

std::unique_ptr<Router> make_router(const NetworkConfig& config, std::optional<Routing> routing,
                                    const std::vector<std::string>& failed) {
  if (routing == Routing::dimension && !failed.empty())
    throw usage_error("routing by dimension cannot avoid failed links; they want shortest");
  if (routing == Routing::dimension && !config.is_product())
    throw usage_error("network '" + config.source + "' has no dimensions to route by; it wants shortest");
  if (failed.empty()) {
    if (config.is_product() && routing != Routing::shortest) return std::make_unique<ProductRouter>(config);
    if (!config.levels.empty()) return std::make_unique<TreeRouter>(config);
  }
  WireGraph graph = build_wire_graph(config);
  if (std::uint64_t{graph.npus} * graph.devices() > max_route_entries)
    throw input_error({.file = config.source}, too_many_routes(graph));
  if (!failed.empty()) remove_failed_wires(graph, failed);
  return std::make_unique<TableRouter>(std::move(graph));
}

}  // namespace convert
