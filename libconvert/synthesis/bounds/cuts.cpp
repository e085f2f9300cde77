// SPDX-License-Identifier: MIT
#include "synthesis/bounds/cuts.h"

#include <algorithm>
#include <utility>

#include "core/units.h"
#include "synthesis/max_flow.h"

namespace convert {
namespace {

// The largest cut so far, and a flow network that searches for a larger one. Flows go from a device over the links,
// or against them (`backward`), to an extra node with arcs from `ends`. These arcs come first, so that a search
// finds them, and nearby devices, first.
class CutSearch {
 public:
  CutSearch(const LinkGraph& graph, std::span<const Device> ends, bool backward)
      : graph_(graph),
        backward_(backward),
        ends_(ends.size()),
        flow_(graph.devices + 1, arcs_of(graph, ends, backward)) {
    for (const LinkGraph::Link& l : graph.links) most_bandwidth_ = std::max(most_bandwidth_, l.bandwidth);
    check(static_cast<std::int64_t>(ends.size()), most_bandwidth_);
  }

  // Use the cut into, or out of, a device if it is larger than the current one.
  void offer_into(Device d, std::int64_t parts) {
    if (is_larger({parts, bandwidth_in(graph_, d)})) worst_.cut = cut_into(graph_, d, parts);
  }
  void offer_out_of(Device d, std::int64_t parts) {
    if (is_larger({parts, bandwidth_out(graph_, d)})) worst_.cut = cut_out_of(graph_, d, parts);
  }

  [[nodiscard]] WorstCut take() { return std::move(worst_); }

  // Scales link capacities by the ratio, so that a shard has the size of size_of().
  void scale() {
    const Fraction y =
        reduced(static_cast<WideUnsigned>(worst_.cut.parts), static_cast<WideUnsigned>(worst_.cut.bandwidth));
    part_ = y.denominator;
    for (std::uint32_t l = 0; l < graph_.links.size(); ++l) {
      const WideInteger wide = static_cast<WideInteger>(y.numerator) * graph_.links[l].bandwidth;
      flow_.set_capacity(link_arc(l),
                         static_cast<std::int64_t>(std::min<WideInteger>(wide, most_synthesis_integer - 1)));
    }
  }
  // Returns the size of a number of shards.
  [[nodiscard]] std::int64_t size_of(std::int64_t parts) const {
    check(parts, part_);
    return parts * part_;
  }
  void set_end(std::size_t end, std::int64_t size) { flow_.set_capacity(static_cast<std::uint32_t>(end), size); }
  [[nodiscard]] bool passes(Device device, std::int64_t wanted) {
    ++worst_.flows;
    return flow_.run(device, graph_.devices, wanted) == wanted;
  }
  // Uses the minimum cut of a flow that did not pass. parts_of(device, inside) returns the shards that leave with a
  // device.
  template <class PartsOf>
  void take_cut(const PartsOf& parts_of) {
    DeviceCut cut;
    for (Device d = 0; d < graph_.devices; ++d) {
      const bool inside = is_inside(d);
      if (inside) cut.devices.push_back(d);
      cut.parts += parts_of(d, inside);
    }
    for (const LinkGraph::Link& l : graph_.links) {
      if (is_inside(l.from) && !is_inside(l.to)) cut.bandwidth += l.bandwidth;
    }
    worst_.cut = std::move(cut);
  }

 private:
  static std::vector<MaxFlow::Arc> arcs_of(const LinkGraph& graph, std::span<const Device> ends, bool backward) {
    std::vector<MaxFlow::Arc> arcs;
    arcs.reserve(graph.links.size() + ends.size());
    for (const Device d : ends) arcs.push_back({d, graph.devices});
    for (const LinkGraph::Link& l : graph.links)
      arcs.push_back(backward ? MaxFlow::Arc{l.to, l.from} : MaxFlow::Arc{l.from, l.to});
    return arcs;
  }

  [[nodiscard]] std::uint32_t link_arc(std::uint32_t link) const {
    return static_cast<std::uint32_t>(ends_) + link;
  }
  [[nodiscard]] bool is_inside(Device d) const { return flow_.on_source_side(d) != backward_; }
  [[nodiscard]] bool is_larger(const Fraction& ratio) const {
    return worst_.cut.devices.empty() || less(worst_.cut.ratio(), ratio);
  }
  static void check(std::int64_t parts, std::int64_t size) {
    if (static_cast<WideInteger>(parts) * size < most_synthesis_integer) return;
    throw input_error({}, "the bandwidths of the links have too small a common divisor for exact numbers with " +
                              counted(static_cast<std::uint64_t>(parts), "NPU") +
                              "; give them in whole MB/s or GB/s");
  }

  const LinkGraph& graph_;
  bool backward_;
  std::size_t ends_;
  MaxFlow flow_;
  WorstCut worst_;
  std::int64_t most_bandwidth_ = 0;
  std::int64_t part_ = 1;
};

// Returns the participants in an order in which each has a short route from its predecessors.
std::vector<Device> near_first(const LinkGraph& graph, Device first, std::span<const std::uint8_t> takes_part) {
  std::vector<std::uint8_t> seen(graph.devices, 0);
  std::vector<Device> open = {first}, order;
  seen[first] = 1;
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (takes_part[open[i]] != 0) order.push_back(open[i]);
    for (const std::uint32_t l : graph.out[open[i]]) {
      const Device to = graph.links[l].to;
      if (std::exchange(seen[to], 1) == 0) open.push_back(to);
    }
  }
  return order;
}

// Searches cuts for participants that each have a shard for all others; in a broadcast, only the root has one.
class Sweep {
 public:
  Sweep(const LinkGraph& graph, std::span<const Device> participants, Device first, bool only_first)
      : graph_(graph),
        participants_(participants),
        first_(first),
        search_(graph, participants, true),
        parts_(graph.devices, 0),
        takes_part_(graph.devices, 0),
        end_(graph.devices, 0) {
    for (std::uint32_t i = 0; i < participants.size(); ++i) {
      const Device d = participants[i];
      takes_part_[d] = 1;
      end_[d] = i;
      parts_[d] = only_first && d != first ? 0 : 1;
      all_ += parts_[d];
    }
  }

  WorstCut find() {
    if (participants_.size() < 2) return search_.take();
    for (const Device d : participants_) {
      if (parts_[d] < all_) search_.offer_into(d, all_ - parts_[d]);
      if (parts_[d] > 0) search_.offer_out_of(d, parts_[d]);
    }
    for (const Device sink : near_first(graph_, first_, takes_part_)) {
      if (parts_[sink] < all_ && !surrounded(sink)) check(sink);
      takes_part_[sink] = passed_mark;
      if (scaled_) search_.set_end(end_[sink], search_.size_of(all_));
    }
    return search_.take();
  }

 private:
  // Replaces the cut until no cut between the sources and the sink is worse. No worse cut separates a participant
  // that has passed: such participants are inside and may send all shards. So a sink that they surround needs no
  // flow, and for other sinks most flow comes from nearby.
  void check(Device sink) {
    while (true) {
      if (!scaled_) scale();
      if (search_.passes(sink, search_.size_of(all_))) return;
      search_.take_cut([&](Device d, bool inside) { return inside ? parts_[d] : 0; });
      scaled_ = false;
    }
  }
  void scale() {
    search_.scale();
    for (const Device d : participants_) search_.set_end(end_[d], search_.size_of(passed(d) ? all_ : parts_[d]));
    scaled_ = true;
  }
  [[nodiscard]] bool passed(Device d) const { return takes_part_[d] == passed_mark; }
  [[nodiscard]] bool surrounded(Device sink) const {
    return std::ranges::all_of(graph_.in[sink], [&](std::uint32_t l) { return passed(graph_.links[l].from); });
  }

  static constexpr std::uint8_t passed_mark = 2;
  const LinkGraph& graph_;
  std::span<const Device> participants_;
  Device first_;
  CutSearch search_;
  std::vector<std::int64_t> parts_;       // by device
  std::vector<std::uint8_t> takes_part_;  // by device
  std::vector<std::uint32_t> end_;        // by device: index of a participant
  std::int64_t all_ = 0;                  // parts
  bool scaled_ = false;                   // whether capacities are scaled for the largest cut so far
};

}  // namespace

DeviceCut opposite(DeviceCut cut, std::uint32_t devices) {
  if (cut.devices.empty()) return cut;
  std::vector<Device> others;
  auto at = cut.devices.begin();
  for (Device d = 0; d < devices; ++d) {
    if (at != cut.devices.end() && *at == d) {
      ++at;
    } else {
      others.push_back(d);
    }
  }
  cut.devices = std::move(others);
  return cut;
}

DeviceCut cut_into(const LinkGraph& graph, Device device, std::int64_t parts) {
  return opposite({.devices = {device}, .parts = parts, .bandwidth = bandwidth_in(graph, device)}, graph.devices);
}

DeviceCut cut_out_of(const LinkGraph& graph, Device device, std::int64_t parts) {
  return {.devices = {device}, .parts = parts, .bandwidth = bandwidth_out(graph, device)};
}

WorstCut worst_gather_cut(const LinkGraph& graph, std::span<const Device> participants) {
  return Sweep(graph, participants, participants.front(), false).find();
}

WorstCut worst_broadcast_cut(const LinkGraph& graph, std::span<const Device> participants, Device root) {
  return Sweep(graph, participants, root, true).find();
}

WorstCut worst_scatter_cut(const LinkGraph& graph, std::span<const Device> participants, Device root) {
  std::vector<Device> others(participants.begin(), participants.end());
  std::erase(others, root);
  CutSearch search(graph, others, false);
  if (others.empty()) return search.take();
  const auto parts = static_cast<std::int64_t>(others.size());
  search.offer_out_of(root, parts);
  std::vector<std::uint8_t> wants(graph.devices, 0);
  for (const Device d : others) {
    search.offer_into(d, 1);
    wants[d] = 1;
  }
  while (true) {
    search.scale();
    for (std::size_t i = 0; i < others.size(); ++i) search.set_end(i, search.size_of(1));
    if (search.passes(root, search.size_of(parts))) return search.take();
    search.take_cut([&](Device d, bool inside) { return !inside && wants[d] != 0 ? 1 : 0; });
  }
}

}  // namespace convert
