// SPDX-License-Identifier: MIT
#include "config/routes.h"

#include <algorithm>

#include "config/link_numbers.h"
#include "core/diagnostic.h"
#include "core/units.h"

namespace convert {
namespace {

class ProductRouter final : public Router {
 public:
  explicit ProductRouter(const NetworkConfig& config) : numbers_(config) {}

  // `phase` is the dimension in which the message travels.
  Hop step(Position& p) override {
    const std::vector<ProductLinks::Dim>& dims = numbers_.dims();
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
  [[nodiscard]] std::uint32_t links() const override { return numbers_.links(); }
  [[nodiscard]] std::pair<Device, Device> ends(std::uint32_t link) const override { return numbers_.ends(link); }
  [[nodiscard]] std::string device_name(Device device) const override { return numbers_.device_name(device); }

 private:
  using Dim = ProductLinks::Dim;
  static Hop hop(const Dim& d, std::uint32_t npu, std::uint32_t port) {
    return {d.first_link + npu * d.fanout + port, d.bytes_per_ns, d.latency_ps};
  }

  static Hop take_hop(Position& p, const Dim& d, std::uint32_t from, std::uint32_t to) {
    const Device npu = p.at;
    switch (d.topology) {
      case Topology::switched: p.at = ProductLinks::switch_of(d, npu); return hop(d, npu, 0);
      case Topology::fully_connected: p.at += (to - from) * d.stride; return hop(d, npu, to);
      case Topology::mesh:
        p.at = to > from ? npu + d.stride : npu - d.stride;
        return hop(d, npu, to > from ? 0 : 1);
      case Topology::ring: break;
    }
    const std::uint32_t clockwise = to > from ? to - from : to + d.npus - from;
    const bool forwards = clockwise <= d.npus - clockwise;
    const std::uint32_t next = forwards ? (from + 1 == d.npus ? 0 : from + 1) : (from == 0 ? d.npus - 1 : from - 1);
    p.at += (next - from) * d.stride;  // modulo 2^32
    return hop(d, npu, forwards ? 0 : 1);
  }

  // To the NPU below it that has the destination's coordinate.
  Hop leave_switch(Position& p, const Dim& d) const {
    const std::uint32_t instance = p.at - d.first_switch;
    const std::uint32_t to = numbers_.coordinate(d, p.dst);
    p.at = (instance / d.stride * d.npus + to) * d.stride + instance % d.stride;
    return hop(d, p.at, 1);
  }

  ProductLinks numbers_;
};

class TreeRouter final : public Router {
 public:
  explicit TreeRouter(const NetworkConfig& config) : numbers_(config) {}

  // `phase` is the height of the device: 0 for an NPU.
  Hop step(Position& p) override {
    const std::vector<TreeLinks::Level>& levels = numbers_.levels();
    if (p.phase != 0) {
      const TreeLinks::Level& level = levels[p.phase - 1];
      if (p.dst / level.span == p.at - level.first_switch) {  // below: down
        const std::uint32_t child = p.phase == 1 ? p.dst : p.dst / levels[p.phase - 2].span;
        --p.phase;
        p.at = level.first_below + child;
        return {level.first_link + 2 * child + 1, level.bytes_per_ns, level.latency_ps};
      }
    }
    const TreeLinks::Level& level = levels[p.phase++];
    const std::uint32_t child = p.at - level.first_below;
    p.at = level.first_switch + child / level.fanout;
    return {level.first_link + 2 * child, level.bytes_per_ns, level.latency_ps};
  }
  [[nodiscard]] std::uint32_t links() const override { return numbers_.links(); }
  [[nodiscard]] std::pair<Device, Device> ends(std::uint32_t link) const override { return numbers_.ends(link); }
  [[nodiscard]] std::string device_name(Device device) const override { return numbers_.device_name(device); }

 private:
  TreeLinks numbers_;
};

// Shortest ways in any graph: a table of the next link for each destination, made when the first message goes
// there.
class TableRouter final : public Router {
 public:
  explicit TableRouter(LinkGraph graph) : graph_(std::move(graph)), rows_(graph_.npus) {
    first_in_.assign(graph_.devices() + 1, 0);
    for (const GraphLink& l : graph_.links) ++first_in_[l.to + 1];
    for (std::size_t d = 1; d < first_in_.size(); ++d) first_in_[d] += first_in_[d - 1];
    in_.resize(graph_.links.size());
    std::vector<std::uint32_t> next(first_in_.begin(), first_in_.end() - 1);
    for (std::uint32_t l = 0; l < graph_.links.size(); ++l) in_[next[graph_.links[l].to]++] = l;
  }

  Hop step(Position& p) override {
    std::unique_ptr<std::uint32_t[]>& row = rows_[p.dst];
    if (row == nullptr) row = make_row(p.dst);
    const std::uint32_t link = row[p.at];
    const GraphLink& l = graph_.links[link];
    p.at = l.to;
    return {link, l.bytes_per_ns, l.latency_ps};
  }
  [[nodiscard]] std::uint32_t links() const override { return static_cast<std::uint32_t>(graph_.links.size()); }
  [[nodiscard]] std::pair<Device, Device> ends(std::uint32_t link) const override {
    return {graph_.links[link].from, graph_.links[link].to};
  }
  [[nodiscard]] std::string device_name(Device device) const override { return graph_.device_name(device); }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  // Backwards from the destination, in rounds of equal distance. The row's entry for `dst` itself is the begin of
  // the shortest way out and back.
  std::unique_ptr<std::uint32_t[]> make_row(Device dst) {
    auto row = std::make_unique_for_overwrite<std::uint32_t[]>(graph_.devices());
    std::fill_n(row.get(), graph_.devices(), none);
    distance_.assign(graph_.devices(), none);
    latency_.assign(graph_.devices(), 0);
    frontier_ = {dst};
    std::size_t found = 0;
    for (std::uint32_t hops = 1; !frontier_.empty() && found < graph_.devices(); ++hops) {
      next_.clear();
      for (const Device v : frontier_) {
        for (std::uint32_t i = first_in_[v]; i < first_in_[v + 1]; ++i) {
          const std::uint32_t link = in_[i];
          const Device u = graph_.links[link].from;
          if (distance_[u] < hops) continue;
          const Picoseconds latency = add(v == dst ? 0 : latency_[v], graph_.links[link].latency_ps);
          if (distance_[u] == none) {
            distance_[u] = hops;
            ++found;
            if (u != dst) next_.push_back(u);
          } else if (std::pair{latency, v} >= std::pair{latency_[u], graph_.links[row[u]].to}) {
            continue;
          }
          row[u] = link;
          latency_[u] = latency;
        }
      }
      frontier_.swap(next_);
    }
    return row;
  }
  static Picoseconds add(Picoseconds a, Picoseconds b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

  LinkGraph graph_;
  std::vector<std::uint32_t> first_in_;                 // into in_, by device
  std::vector<std::uint32_t> in_;                       // links by the device they lead to
  std::vector<std::unique_ptr<std::uint32_t[]>> rows_;  // by destination: by device the link to take
  std::vector<std::uint32_t> distance_;
  std::vector<Picoseconds> latency_;
  std::vector<Device> frontier_;
  std::vector<Device> next_;
};

}  // namespace

std::string_view name(Routing routing) { return routing == Routing::dimension ? "dimension" : "shortest"; }

std::string too_many_routes(const LinkGraph& graph) {
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
  LinkGraph graph = build_link_graph(config);
  if (std::uint64_t{graph.npus} * graph.devices() > max_route_entries)
    throw input_error({.file = config.source}, too_many_routes(graph));
  if (!failed.empty()) remove_failed_links(graph, failed);
  return std::make_unique<TableRouter>(std::move(graph));
}

}  // namespace convert
