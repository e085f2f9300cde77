// SPDX-License-Identifier: MIT
#include "simulate/report/bound.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace convert {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double to_ns(Picoseconds time) { return static_cast<double>(time) / static_cast<double>(ps_per_ns); }

double hops(const NetworkDim& d, Rank a, Rank b) { return hops(d.topology, a, b, static_cast<Rank>(d.npus)); }

std::size_t farthest(const std::vector<double>& latencies) {
  return static_cast<std::size_t>(std::max_element(latencies.begin(), latencies.end()) - latencies.begin());
}

}  // namespace

Ways ways_of(Collective op) {
  if (comes_from_root(op)) return Ways::from_root;
  return op == Collective::reduce || op == Collective::gather ? Ways::to_root : Ways::all;
}

NetworkReach::NetworkReach(const NetworkConfig& network, const NetworkOptions& options)
    : network_(network), is_graph_(!options.failed.empty() || !network.graph.wires.empty()) {
  if (!is_graph_) return;
  if (network.graph.wires.empty()) network_.graph = build_wire_graph(network);
  remove_failed_wires(network_.graph, options.failed);
  ports_.assign(network_.graph.npus, Port{});
  double direct_ns = infinite;  // lowest from NPU to NPU, from an NPU to a switch, from a switch to an NPU
  double up_ns = infinite;
  double down_ns = infinite;
  for (const GraphWire& w : network_.graph.wires) {
    const bool from_npu = w.from < ports_.size();
    const bool to_npu = w.to < ports_.size();
    if (from_npu) ports_[w.from].out += w.bytes_per_ns;
    if (to_npu) ports_[w.to].in += w.bytes_per_ns;
    double& lowest = from_npu && to_npu ? direct_ns : from_npu ? up_ns : down_ns;
    if (from_npu || to_npu) lowest = std::min(lowest, to_ns(w.latency_ps));
  }
  for (Port& port : ports_) port.latency_ns = std::min(direct_ns, up_ns + down_ns);
}

// Messages between members never use a dimension in which all members have the same coordinate.
std::vector<bool> NetworkReach::used_dims(std::span<const Rank> members) const {
  std::vector<bool> used;
  Rank stride = 1;
  for (const NetworkDim& d : network_.dims) {
    const auto n = static_cast<Rank>(d.npus);
    const Rank first = members.front() / stride % n;
    used.push_back(std::any_of(members.begin(), members.end(), [&](Rank r) { return r / stride % n != first; }));
    stride *= n;
  }
  return used;
}

NetworkReach::Port NetworkReach::product_port(Rank npu, const std::vector<bool>& used) const {
  Port port{.latency_ns = infinite};
  for (std::size_t i = 0; i < network_.dims.size(); ++i) {
    const NetworkDim& d = network_.dims[i];
    const auto n = static_cast<Rank>(d.npus);
    const Rank at = npu % n;
    npu /= n;
    if (!used[i]) continue;
    port.in += with(d.topology, [&](auto t) { return t.wires(at, n); }) * d.bytes_per_ns;
    port.latency_ns = std::min(port.latency_ns, hops(d, 0, 1) * d.latency_ns);
  }
  port.out = port.in;
  return port;
}

double NetworkReach::product_latency(Rank from, Rank to) const {
  double latency_ns = 0;
  for (const NetworkDim& d : network_.dims) {
    const auto n = static_cast<Rank>(d.npus);
    if (from % n != to % n) latency_ns += hops(d, from % n, to % n) * d.latency_ns;
    from /= n;
    to /= n;
  }
  return latency_ns;
}

double NetworkReach::tree_latency(Rank from, Rank to) const {
  double latency_ns = 0;
  for (const TreeLevel& level : network_.levels) {
    if (from == to) break;
    latency_ns += 2 * level.latency_ns;
    from /= static_cast<Rank>(level.fanout);
    to /= static_cast<Rank>(level.fanout);
  }
  return latency_ns;
}

std::vector<double> NetworkReach::graph_latencies(Rank from, bool against) const {
  const WireGraph& graph = network_.graph;
  const auto begin_of = [against](const GraphWire& w) { return against ? w.to : w.from; };
  std::vector<std::size_t> first(graph.devices() + 1, 0);
  for (const GraphWire& w : graph.wires) ++first[begin_of(w) + 1];
  for (std::size_t d = 1; d < first.size(); ++d) first[d] += first[d - 1];
  std::vector<const GraphWire*> wires(graph.wires.size());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (const GraphWire& w : graph.wires) wires[next[begin_of(w)]++] = &w;

  std::vector<double> latency_ns(graph.devices(), infinite);
  using Entry = std::pair<double, Device>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  latency_ns[from] = 0;
  open.emplace(0, from);
  while (!open.empty()) {
    const auto [so_far, device] = open.top();
    open.pop();
    if (so_far > latency_ns[device]) continue;
    for (std::size_t i = first[device]; i < first[device + 1]; ++i) {
      const Device to = against ? wires[i]->from : wires[i]->to;
      const double ns = so_far + to_ns(wires[i]->latency_ps);
      if (ns >= latency_ns[to]) continue;
      latency_ns[to] = ns;
      open.emplace(ns, to);
    }
  }
  return latency_ns;
}

std::vector<double> NetworkReach::latencies(std::span<const Rank> members, std::size_t from, bool against) const {
  std::vector<double> by_device;
  if (is_graph_) by_device = graph_latencies(members[from], against);
  std::vector<double> out;
  for (const Rank r : members) {
    out.push_back(is_graph_               ? by_device[r]
                  : network_.is_product() ? product_latency(members[from], r)
                                          : tree_latency(members[from], r));
  }
  return out;
}

std::optional<GroupReach> NetworkReach::of(std::span<const Rank> members, std::uint32_t root, Ways ways) const {
  if (network_.ideal) return std::nullopt;
  std::vector<bool> used;
  if (!is_graph_) used = used_dims(members);
  const auto port = [&](Rank npu) {
    if (is_graph_) return ports_[npu];
    if (network_.is_product()) return product_port(npu, used);
    const TreeLevel& level = network_.levels.front();
    return Port{.in = level.bytes_per_ns, .out = level.bytes_per_ns, .latency_ns = 2 * level.latency_ns};
  };
  GroupReach reach{.others_in = infinite, .others_out = infinite, .near_latency_ns = infinite};
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Port p = port(members[i]);
    reach.sum_in += p.in;
    reach.sum_out += p.out;
    reach.near_latency_ns = std::min(reach.near_latency_ns, p.latency_ns);
    (i == root ? reach.root_in : reach.others_in) = i == root ? p.in : std::min(reach.others_in, p.in);
    (i == root ? reach.root_out : reach.others_out) = i == root ? p.out : std::min(reach.others_out, p.out);
  }
  std::vector<double> ns = latencies(members, root, ways == Ways::to_root);
  std::size_t far = farthest(ns);
  if (ways == Ways::all) {  // the ends of a long route: the farthest member from the farthest member
    ns = latencies(members, far, false);
    far = farthest(ns);
  }
  reach.far_latency_ns = ns[far];
  reach.far_in = port(members[ways == Ways::to_root ? root : far]).in;
  return reach;
}

Picoseconds lower_bound(Collective op, std::int64_t size_bytes, std::uint32_t npus, const GroupReach& r) {
  const auto size = static_cast<double>(size_bytes);
  const double n = npus;
  const double part = size / n;
  const double least_in = std::min(r.root_in, r.others_in);
  const double least_out = std::min(r.root_out, r.others_out);
  double carry_ns = 0;
  double hears = part;
  switch (op) {
    case Collective::all_reduce:
      hears = size;
      carry_ns = std::max(
          {size / least_in, size / least_out, 2 * (n - 1) * size / r.sum_in, 2 * (n - 1) * size / r.sum_out});
      break;
    case Collective::all_gather: carry_ns = std::max((n - 1) * part / least_in, part / least_out); break;
    case Collective::reduce_scatter: carry_ns = std::max((n - 1) * part / least_out, part / least_in); break;
    case Collective::all_to_all: carry_ns = (n - 1) * part / std::min(least_in, least_out); break;
    case Collective::broadcast:
      hears = size;
      carry_ns = size / std::min(r.root_out, r.others_in);
      break;
    case Collective::reduce:
      hears = size;
      carry_ns = size / std::min(r.root_in, r.others_out);
      break;
    case Collective::gather: carry_ns = std::max((n - 1) * part / r.root_in, part / r.others_out); break;
    case Collective::scatter: carry_ns = std::max((n - 1) * part / r.root_out, part / r.others_in); break;
    default: hears = 0; break;
  }
  const double ns = std::max(carry_ns + r.near_latency_ns, r.far_latency_ns + hears / r.far_in);
  return static_cast<Picoseconds>(std::min(ns * static_cast<double>(ps_per_ns), 9e18));
}

}  // namespace convert
