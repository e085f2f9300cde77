// SPDX-License-Identifier: MIT
#include "config/network/bundles.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace convert {
namespace {

// Colour refinement of the switches of a graph.
class SwitchClasses {
 public:
  explicit SwitchClasses(const WireGraph& graph)
      : graph_(graph),
        out_(rows_by_key(graph.wires.size(), graph.devices(), [&](std::size_t i) { return graph.wires[i].from; })),
        in_(rows_by_key(graph.wires.size(), graph.devices(), [&](std::size_t i) { return graph.wires[i].to; })),
        class_of_(graph.devices()),
        place_(graph.devices()),
        seen_(graph.devices()) {
    std::map<std::tuple<double, Picoseconds, std::uint32_t>, std::uint32_t> kinds;
    for (const GraphWire& w : graph.wires) {
      const auto next = static_cast<std::uint32_t>(kinds.size());
      kind_of_.push_back(kinds.try_emplace({w.bytes_per_ns, w.latency_ps, w.weight}, next).first->second);
    }
    for (Device d = 0; d < graph.devices(); ++d) {
      if (d <= graph.npus) members_.emplace_back();
      join(std::min(d, graph.npus), d);
      changed_.push_back(d);
    }
    while (!changed_.empty()) refine();
  }

  // Returns the lowest device of each device's class, by device.
  [[nodiscard]] std::vector<Device> lowest() const {
    std::vector<Device> out(class_of_.size());
    for (const std::vector<Device>& members : members_) {
      const Device lowest = *std::ranges::min_element(members);
      for (const Device d : members) out[d] = lowest;
    }
    return out;
  }

 private:
  // Link of a switch: its kind, the class at the other end, and its direction.
  using Seen = std::tuple<std::uint32_t, std::uint32_t, bool>;

  // Separates switches by their links to devices whose class has changed. Other links need no comparison: all
  // members of a class have the same number of links to each class of the previous round.
  void refine() {
    std::vector<Device> touched;
    const auto see = [&](Device d, std::uint32_t wire, Device other, bool out) {
      if (d < graph_.npus || members_[class_of_[d]].size() < 2) return;
      if (seen_[d].empty()) touched.push_back(d);
      seen_[d].emplace_back(class_of_[other], kind_of_[wire], out);
    };
    for (const Device d : changed_) {
      for (const std::uint32_t wire : in_[d]) see(graph_.wires[wire].from, wire, d, true);
      for (const std::uint32_t wire : out_[d]) see(graph_.wires[wire].to, wire, d, false);
    }
    changed_.clear();
    std::map<std::uint32_t, std::map<std::vector<Seen>, std::vector<Device>>> apart;  // by class
    std::ranges::sort(touched);
    for (const Device d : touched) {
      std::ranges::sort(seen_[d]);
      apart[class_of_[d]][std::exchange(seen_[d], {})].push_back(d);
    }
    for (auto& [c, groups] : apart) split(c, groups);
  }

  // The largest part keeps the class, so that each device changes its class at most log n times.
  void split(std::uint32_t c, std::map<std::vector<Seen>, std::vector<Device>>& groups) {
    std::vector<std::vector<Device>> parts;
    std::size_t seen_devices = 0;
    for (auto& [seen, devices] : groups) {
      seen_devices += devices.size();
      parts.push_back(std::move(devices));
    }
    const std::size_t rest = members_[c].size() - seen_devices;
    if (rest == 0 && parts.size() == 1) return;
    const auto largest = std::ranges::max_element(parts, {}, [](const auto& part) { return part.size(); });
    if (largest->size() > rest) {
      std::vector<Device> kept = std::move(*largest);
      *largest = std::move(parts.back());
      parts.pop_back();
      for (const std::vector<Device>& part : parts) leave(c, part);
      leave(c, kept);
      if (rest != 0) parts.push_back(std::exchange(members_[c], {}));
      members_[c].clear();
      for (const Device d : kept) join(c, d);
    } else {
      for (const std::vector<Device>& part : parts) leave(c, part);
    }
    for (const std::vector<Device>& part : parts) {
      members_.emplace_back();
      for (const Device d : part) join(static_cast<std::uint32_t>(members_.size() - 1), d);
      changed_.insert(changed_.end(), part.begin(), part.end());
    }
  }
  void join(std::uint32_t c, Device d) {
    class_of_[d] = c;
    place_[d] = static_cast<std::uint32_t>(members_[c].size());
    members_[c].push_back(d);
  }
  void leave(std::uint32_t c, const std::vector<Device>& devices) {
    for (const Device d : devices) {
      const Device last = members_[c].back();
      members_[c][place_[d]] = last;
      place_[last] = place_[d];
      members_[c].pop_back();
    }
  }

  const WireGraph& graph_;
  Rows out_;
  Rows in_;
  std::vector<std::uint32_t> kind_of_;        // by link
  std::vector<std::uint32_t> class_of_;       // by device
  std::vector<std::uint32_t> place_;          // by device, in members_
  std::vector<std::vector<Device>> members_;  // by class
  std::vector<std::vector<Seen>> seen_;       // by device, during a round
  std::vector<Device> changed_;
};

}  // namespace

BundledGraph bundle_links(const WireGraph& graph) {
  BundledGraph out{.graph = {.npus = graph.npus, .switches = graph.switches, .switch_names = graph.switch_names},
                   .links = {}};
  const std::vector<Device> lowest = SwitchClasses(graph).lowest();
  // Links of a bundle may differ in bandwidth if each device of the class has the same set of links.
  std::map<std::tuple<Device, Device, Picoseconds, std::uint32_t>, std::vector<std::uint32_t>> bundles;
  for (std::uint32_t i = 0; i < graph.wires.size(); ++i) {
    const GraphWire& w = graph.wires[i];
    if (lowest[w.from] != lowest[w.to])
      bundles[{lowest[w.from], lowest[w.to], w.latency_ps, w.weight}].push_back(i);
  }
  for (const auto& [key, links] : bundles) {
    const auto& [from, to, latency, weight] = key;
    GraphWire& w =
        out.graph.wires.emplace_back(GraphWire{.from = from, .to = to, .latency_ps = latency, .weight = weight});
    for (const std::uint32_t i : links) w.bytes_per_ns += graph.wires[i].bytes_per_ns;
    out.links.items.insert(out.links.items.end(), links.begin(), links.end());
    out.links.end_row();
  }
  return out;
}

bool may_have_ties(const WireGraph& graph) {
  std::vector<Device> first(graph.devices(), no_index);  // a switch that a link of the device leads to
  return std::ranges::any_of(graph.wires, [&](const GraphWire& w) {
    if (w.to < graph.npus) return false;
    return std::exchange(first[w.from], w.to) != no_index;
  });
}

}  // namespace convert
