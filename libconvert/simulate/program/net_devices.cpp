// SPDX-License-Identifier: MIT
#include "simulate/program/net_devices.h"

#include <functional>
#include <numeric>
#include <queue>
#include <string_view>

#include "core/units.h"

namespace convert {
namespace {

// Returns the prefix of a switch's name that names its host: "host1."; empty if the switch belongs to no host, or
// to the only host.
std::string host_of(const std::string& name) {
  return name.starts_with("host") ? name.substr(0, name.find('.') + 1) : std::string();
}

std::vector<std::uint32_t> lengths_from(const WireGraph& graph, Device from) {
  std::vector<std::vector<std::pair<Device, std::uint32_t>>> next(graph.devices());
  for (const GraphWire& w : graph.wires) next[w.from].emplace_back(w.to, w.weight);
  std::vector<std::uint32_t> length(graph.devices(), UINT32_MAX);
  using Reached = std::pair<std::uint32_t, Device>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
  length[from] = 0;
  open.emplace(0, from);
  while (!open.empty()) {
    const auto [sum, device] = open.top();
    open.pop();
    if (sum != length[device]) continue;
    for (const auto& [to, weight] : next[device]) {
      if (sum + weight >= length[to]) continue;
      length[to] = sum + weight;
      open.emplace(sum + weight, to);
    }
  }
  return length;
}

}  // namespace

NetDevices::NetDevices(const NetworkConfig& network, const std::vector<std::string>& failed) {
  const WireGraph& graph = network.graph;
  for (std::uint32_t s = 0; s < graph.switch_names.size(); ++s) {
    const std::string& name = graph.switch_names[s];
    const std::string host = host_of(name);
    if (!std::string_view(name).substr(host.size()).starts_with("net")) continue;
    if (const auto number = parse_int(std::string_view(name).substr(host.size() + 3)); number && *number >= 0)
      nets_.emplace(std::pair(host, *number), graph.npus + s);
  }
  if (nets_.empty()) return;
  hosts_.resize(graph.npus);
  for (const GraphWire& w : graph.wires) {
    if (w.from < graph.npus && w.to >= graph.npus && hosts_[w.from].empty())
      hosts_[w.from] = host_of(graph.switch_names[w.to - graph.npus]);
  }
  join_fabric(graph);
  if (failed.empty()) return;
  whole_ = left_ = graph;
  erase_failed_wires(left_, failed);
}

void NetDevices::join_fabric(const WireGraph& graph) {
  std::vector<Device> joined(graph.devices());
  std::iota(joined.begin(), joined.end(), Device{0});
  const auto first = [&](Device d) {
    while (joined[d] != d) d = joined[d] = joined[joined[d]];
    return d;
  };
  std::vector<bool> outside(graph.devices());
  for (Device d = graph.npus; d < graph.devices(); ++d)
    outside[d] = host_of(graph.switch_names[d - graph.npus]).empty();
  for (const auto& [name, device] : nets_) outside[device] = true;
  for (const GraphWire& w : graph.wires) {
    if (!outside[w.from] || !outside[w.to]) continue;
    const Device a = first(w.from);
    const Device b = first(w.to);
    joined[std::max(a, b)] = std::min(a, b);
  }
  for (const auto& [name, device] : nets_) fabric_.emplace(device, first(device));
}

Device NetDevices::find(Rank rank, std::int64_t net) const {
  if (rank >= hosts_.size()) return no_device;
  const auto at = nets_.find(std::pair(hosts_[rank], net));
  return at == nets_.end() ? no_device : at->second;
}

// Returns whether the shortest route between two devices is as long with failed links as with all links.
bool NetDevices::keeps_length(Device from, Device to) {
  constexpr std::size_t most = 64;
  if (lengths_.size() >= most && !lengths_.contains(from)) lengths_.clear();
  auto& [whole, left] = lengths_[from];
  if (whole.empty()) {
    whole = lengths_from(whole_, from);
    left = lengths_from(left_, from);
  }
  return whole[to] == left[to];
}

NetDevices::Way NetDevices::way(Rank from, Rank to, const SendWays::Way& named) {
  Way way;
  if (named.net >= 0) {
    way.out = find(from, named.net);
    if (way.out == no_device) way.problem = Problem::unknown;
  }
  if (named.net_to >= 0) {
    way.in = find(to, named.net_to);
    if (way.in == no_device) way.problem = Problem::unknown;
  }
  if (way.out != no_device && way.in != no_device && fabric_.at(way.out) != fabric_.at(way.in)) {
    way.in = no_device;
    way.problem = Problem::apart;
  }
  if (left_.npus == 0) return way;
  Device at = from;
  for (const Device next : {way.out, way.in, Device{to}}) {
    if (next == no_device || next == at) continue;
    if (!keeps_length(at, next)) return {.problem = Problem::failed};
    at = next;
  }
  return way;
}

}  // namespace convert
