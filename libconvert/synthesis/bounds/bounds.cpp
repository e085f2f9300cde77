// SPDX-License-Identifier: MIT
#include "synthesis/bounds/bounds.h"

#include <algorithm>
#include <array>

#include "core/diagnostic.h"
#include "core/units.h"
#include "synthesis/bounds/crossing.h"

namespace convert {
namespace {

// Computes the bounds of one problem.
class BoundMaker {
 public:
  explicit BoundMaker(const SynthesisProblem& problem)
      : p_(problem), graph_(problem.graph), others_(std::int64_t{problem.size()} - 1) {}

  Bounds make() {
    if (p_.size() < 2) return out_;
    const Collective c = p_.collective;
    if (c == Collective::reduce_scatter || c == Collective::all_reduce || (has_root(c) && !comes_from_root(c)))
      back_ = reversed(graph_);
    add_latency();
    if (p_.collective == Collective::all_reduce) {
      add_all_reduce();
    } else if (p_.collective == Collective::all_to_all) {
      add_all_to_all();
    } else {
      add({.kind = BoundKind::bandwidth, .crossings = {worst_crossing()}});
      add_together({out_.all.back().crossings.front()});
    }
    if (p_.occupancy == Schedule::Occupancy::alpha_beta) add_slots();
    std::ranges::stable_sort(out_.all, {}, &Bound::kind);
    for (const Bound& b : out_.all) {
      if (b.limits) out_.lower = std::max(out_.lower, b.time);
      if (out_.lower > most_schedule_ps) throw takes_too_long();
    }
    return std::move(out_);
  }

 private:
  // Adds a bound. The time of crossings is added by bandwidth alone.
  void add(Bound bound) {
    for (const Crossing& c : bound.crossings) bound.time += bandwidth_time(graph_, c.bandwidth, bytes_of(c));
    out_.all.push_back(std::move(bound));
  }

  static WideUnsigned bytes_of(const Crossing& c) {
    return static_cast<WideUnsigned>(c.parts) * static_cast<WideUnsigned>(c.part_bytes);
  }

  [[nodiscard]] Crossing crossing_of(DeviceCut cut, std::int64_t part_bytes) const {
    std::vector<std::uint8_t> inside(graph_.devices, 0);
    for (const Device d : cut.devices) inside[d] = 1;
    return {.devices = std::move(cut.devices),
            .links = links_out_of(graph_, inside),
            .parts = cut.parts,
            .part_bytes = part_bytes,
            .bandwidth = cut.bandwidth};
  }
  // Converts a cut that was found in the reversed graph (`back`) or in the graph.
  Crossing taken(WorstCut worst, bool back, std::int64_t part_bytes) {
    out_.flows += worst.flows;
    return crossing_of(back ? opposite(std::move(worst.cut), graph_.devices) : std::move(worst.cut), part_bytes);
  }
  Crossing worst_crossing() {
    const bool from_root = comes_from_root(p_.collective);
    const LinkGraph& graph = has_root(p_.collective) && !from_root ? back_ : graph_;
    switch (p_.collective) {
      case Collective::broadcast:
      case Collective::reduce:
        return taken(worst_broadcast_cut(graph, p_.participants, p_.root), !from_root, p_.shard_bytes);
      case Collective::scatter:
      case Collective::gather:
        return taken(worst_scatter_cut(graph, p_.participants, p_.root), !from_root, p_.shard_bytes);
      case Collective::reduce_scatter: return taken(worst_gather_cut(back_, p_.participants), true, p_.shard_bytes);
      default: return taken(worst_gather_cut(graph_, p_.participants), false, p_.shard_bytes);
    }
  }

  // Return the shards that must reach a participant from others, and leave it for others.
  [[nodiscard]] std::int64_t parts_into(Device d) const {
    const bool root = d == p_.root;
    switch (p_.collective) {
      case Collective::all_gather:
      case Collective::all_to_all: return others_;
      case Collective::broadcast:
      case Collective::scatter: return root ? 0 : 1;
      case Collective::reduce: return root ? 1 : 0;
      case Collective::gather: return root ? others_ : 0;
      default: return 1;
    }
  }
  [[nodiscard]] std::int64_t parts_out_of(Device d) const {
    const bool root = d == p_.root;
    switch (p_.collective) {
      case Collective::reduce_scatter:
      case Collective::all_to_all: return others_;
      case Collective::broadcast: return root ? 1 : 0;
      case Collective::scatter: return root ? others_ : 0;
      case Collective::reduce:
      case Collective::gather: return root ? 0 : 1;
      default: return 1;
    }
  }
  [[nodiscard]] std::int64_t node_part_bytes() const {
    return p_.collective == Collective::all_reduce ? p_.bytes : p_.shard_bytes;
  }

  // Calls visit(device, into, parts, links) for the incoming and the outgoing shards of each participant.
  template <class Visit>
  void for_each_node(const Visit& visit) const {
    for (const Device d : p_.participants) {
      if (const std::int64_t parts = parts_into(d); parts != 0) visit(d, true, parts, graph_.in[d]);
      if (const std::int64_t parts = parts_out_of(d); parts != 0) visit(d, false, parts, graph_.out[d]);
    }
  }
  [[nodiscard]] Crossing node_crossing(Device d, bool into, std::int64_t parts) const {
    return crossing_of(into ? cut_into(graph_, d, parts) : cut_out_of(graph_, d, parts), node_part_bytes());
  }

  void add_latency() {
    Bound bound{.kind = BoundKind::latency};
    const auto look_from = [&](const LinkGraph& graph, Device from, bool back) {
      const std::vector<Picoseconds> latencies = latencies_from(graph, from);
      for (const Device to : p_.participants) {
        if (to == from || (bound.ends && latencies[to] <= bound.time)) continue;
        bound.time = latencies[to];
        bound.ends = back ? std::pair(to, from) : std::pair(from, to);
      }
    };
    if (comes_from_root(p_.collective)) {
      look_from(graph_, p_.root, false);
    } else if (has_root(p_.collective)) {
      look_from(back_, p_.root, true);
    } else {
      for (const Device from : p_.participants) look_from(graph_, from, false);
    }
    out_.all.push_back(std::move(bound));
  }

  // Adds the crossing that takes longest with latencies: one of these, or a participant alone.
  void add_together(std::vector<Crossing> crossings) {
    Bound bound{.kind = BoundKind::together};
    for (Crossing& c : crossings) {
      const Picoseconds time = crossing_time(graph_, c.links, bytes_of(c));
      if (time <= bound.time) continue;
      bound.time = time;
      bound.crossings = {std::move(c)};
    }
    Device device = 0;
    std::int64_t most = 0;
    bool most_into = false;
    for_each_node([&](Device d, bool into, std::int64_t parts, std::span<const std::uint32_t> links) {
      const WideUnsigned bytes = static_cast<WideUnsigned>(parts) * static_cast<WideUnsigned>(node_part_bytes());
      const Picoseconds time = crossing_time(graph_, links, bytes);
      if (time <= bound.time) return;
      bound.time = time;
      device = d;
      most = parts;
      most_into = into;
    });
    if (most != 0) bound.crossings = {node_crossing(device, most_into, most)};
    out_.all.push_back(std::move(bound));
  }

  // All links into participants, or all links out of participants, whichever is slower.
  [[nodiscard]] Crossing traffic() const {
    std::array<Crossing, 2> both;
    for (const bool into : {true, false}) {
      Crossing& c = both[into ? 0 : 1];
      c = {.into = into, .parts = 2 * others_, .part_bytes = p_.bytes};
      for (std::uint32_t l = 0; l < graph_.links.size(); ++l) {
        if (p_.takes_part[into ? graph_.links[l].to : graph_.links[l].from] == 0) continue;
        c.links.push_back(l);
        c.bandwidth += graph_.links[l].bandwidth;
      }
    }
    return std::move(both[both[1].bandwidth < both[0].bandwidth ? 1 : 0]);
  }

  void add_all_reduce() {
    Crossing reduce = taken(worst_gather_cut(back_, p_.participants), true, p_.shard_bytes);
    Crossing gather = taken(worst_gather_cut(graph_, p_.participants), false, p_.shard_bytes);
    add({.kind = BoundKind::two_phase, .limits = false, .crossings = {std::move(reduce), std::move(gather)}});
    const Device hub = p_.participants.front();
    Crossing from = taken(worst_broadcast_cut(graph_, p_.participants, hub), false, p_.bytes);
    Crossing to = taken(worst_broadcast_cut(back_, p_.participants, hub), true, p_.bytes);
    add({.kind = BoundKind::cut, .crossings = {to.bandwidth < from.bandwidth ? to : from}});
    add({.kind = BoundKind::traffic, .crossings = {traffic()}});
    Crossing all = out_.all.back().crossings.front();
    add_together({std::move(from), std::move(to), std::move(all)});
  }

  // A link carries nothing before data can have arrived from a participant, and nothing that can no longer reach a
  // participant in time.
  [[nodiscard]] std::vector<LinkRate> lanes_of(const LengthBound& lengths) const {
    const std::vector<Picoseconds> before = latencies_from(graph_, p_.participants);
    const std::vector<Picoseconds> behind = latencies_from(reversed(graph_), p_.participants);
    std::vector<LinkRate> lanes;
    for (std::size_t l = 0; l < graph_.links.size(); ++l) {
      const LinkGraph::Link& link = graph_.links[l];
      Picoseconds latency = 0;
      if (__builtin_add_overflow(before[link.from], link.latency_ps, &latency) ||
          __builtin_add_overflow(latency, behind[link.to], &latency))
        continue;  // there is no route, or a very long one
      lanes.push_back({lengths.lengths[l] * link.bandwidth, latency});
    }
    return lanes;
  }

  void add_all_to_all() {
    Bound flow{.kind = BoundKind::bandwidth, .lengths = all_to_all_lengths(graph_, p_.participants)};
    const LengthBound& lengths = *flow.lengths;
    const auto bytes = static_cast<WideUnsigned>(p_.shard_bytes) * static_cast<WideUnsigned>(lengths.distance);
    flow.time = bandwidth_time(graph_, lengths.capacity, bytes);
    const Picoseconds delayed = lanes_time(graph_, lanes_of(lengths), bytes);
    Crossing cut = crossing_of(worst_exchange_cut(graph_, p_.participants, lengths), p_.shard_bytes);
    out_.all.push_back(std::move(flow));
    add({.kind = BoundKind::cut, .crossings = {std::move(cut)}});
    add_together({out_.all.back().crossings.front()});
    if (Bound& together = out_.all.back(); delayed > together.time) {
      together.time = delayed;
      together.crossings.clear();
    }
  }

  void add_slots() {
    const bool out = p_.collective == Collective::reduce_scatter;
    if (!out && p_.collective != Collective::all_gather) return;
    if (!p_.cuts.empty()) return;  // a link may carry several messages at once
    Bound bound{.kind = BoundKind::slots, .limits = false};
    Device slowest = 0;
    for (const Device d : p_.participants) {
      const Picoseconds time = slot_time(graph_, out ? graph_.out[d] : graph_.in[d], others_, p_.shard_bytes);
      if (time <= bound.time) continue;
      bound.time = time;
      slowest = d;
    }
    bound.crossings = {node_crossing(slowest, !out, others_)};
    out_.all.push_back(std::move(bound));
  }

  const SynthesisProblem& p_;
  const LinkGraph& graph_;
  LinkGraph back_;       // the reversed graph, if it is needed
  std::int64_t others_;  // number of participants minus one
  Bounds out_;
};

}  // namespace

const Bound* Bounds::find(BoundKind kind) const {
  const auto at = std::ranges::find(all, kind, &Bound::kind);
  return at == all.end() ? nullptr : &*at;
}

std::string_view name(BoundKind kind) {
  constexpr std::array<std::string_view, 7> names = {"latency", "bandwidth", "two_phase", "cut",
                                                     "traffic", "together",  "slots"};
  return names[static_cast<std::size_t>(kind)];
}

Fraction us_per_byte(const LinkGraph& graph, const Crossing& crossing) {
  constexpr WideUnsigned us_per_s = 1'000'000;
  return reduced(static_cast<WideUnsigned>(crossing.parts) * us_per_s,
                 static_cast<WideUnsigned>(crossing.bandwidth) * static_cast<WideUnsigned>(graph.unit));
}

Bounds find_bounds(const SynthesisProblem& problem) { return BoundMaker(problem).make(); }

// A bound adds the times of at most two links, so half a picosecond counts twice.
void allow_rounding(Bounds& bounds, Picoseconds total, std::size_t messages) {
  if (total + static_cast<Picoseconds>(messages) < bounds.lower)
    throw Error("the synthesized schedule is wrong: it takes " + format_time(total) + ", less than its bound, " +
                format_time(bounds.lower));
  for (Bound& b : bounds.all) {
    if (b.limits) b.time = std::min(b.time, total);
  }
  bounds.lower = std::min(bounds.lower, total);
}

}  // namespace convert
