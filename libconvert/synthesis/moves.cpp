// SPDX-License-Identifier: MIT
#include "synthesis/moves.h"

#include <algorithm>
#include <tuple>

#include "core/algorithm/chunk_bytes.h"
#include "core/units.h"

namespace convert {
namespace {

constexpr double ns_per_s = 1e9;

double bytes_per_ns(const LinkGraph& graph, const LinkGraph::Link& link) {
  return static_cast<double>(link.bandwidth) * static_cast<double>(graph.unit) / ns_per_s;
}

class ScheduleMaker {
 public:
  ScheduleMaker(const SynthesisProblem& problem, const TimedMoves& made)
      : problem_(problem), graph_(problem.graph), made_(made) {}

  Schedule run() {
    s_.file = problem_.source;
    s_.collective = problem_.collective;
    s_.nodes = graph_.npus;
    s_.switches = graph_.devices - graph_.npus;
    s_.occupancy = problem_.occupancy;
    s_.forwarding = "store";
    s_.network = network_id(problem_.wires);
    s_.claimed_ps = made_.total;
    for (Device d = 0; d < graph_.npus; ++d) {
      if (problem_.takes_part[d] == 0) s_.relays.push_back(d);
    }
    for (const GraphWire& w : problem_.wires.wires) {
      s_.wires.push_back(make_schedule_wire(w.from, w.to, w.bytes_per_ns, w.latency_ps));
    }
    add_chunks();
    for (const Move& m : made_.moves.moves) add_transfers(m);
    number_legs();
    return std::move(s_);
  }

 private:
  Schedule::NodeSet only(Device d) {
    s_.members.push_back(d);
    return {.all = false, .of = {static_cast<std::uint32_t>(s_.members.size() - 1), 1}};
  }

  void add_chunks() {
    const std::vector<Piece>& pieces = made_.moves.pieces;
    bool even = true;
    for (const Piece& p : pieces) even = even && p.bytes == pieces.front().bytes;
    if (!pieces.empty() && even) s_.chunk_bytes = pieces.front().bytes;
    const Schedule::NodeSet all{.all = true, .of = {}};
    for (const Piece& p : pieces) {
      Schedule::Chunk& c = s_.chunks.emplace_back();
      c.id = static_cast<std::int64_t>(s_.chunks.size() - 1);
      if (!even) c.bytes = p.bytes;
      c.pre = c.post = all;
      switch (problem_.collective) {
        case Collective::all_reduce: break;
        case Collective::reduce_scatter:
        case Collective::reduce: c.post = only(p.owner); break;
        case Collective::all_to_all:
        case Collective::scatter:
        case Collective::gather:
          c.pre = only(p.owner);
          c.post = only(p.other);
          break;
        default: c.pre = only(p.owner);
      }
    }
  }

  // An NPU on the route receives and sends in separate transfers; switches only forward.
  void add_transfers(const Move& m) {
    Device from = m.from;
    for (std::uint32_t at = m.way.begin, end = 0; at < m.way.begin + m.way.count; at = end) {
      end = at;
      while (!graph_.is_npu(link(end).to)) ++end;
      ++end;
      Schedule::Transfer t;
      t.src = from;
      t.dst = from = link(end - 1).to;
      t.chunk = m.piece;
      t.op = end == m.way.begin + m.way.count ? m.op : Schedule::Op::copy;
      t.start = made_.starts[at];
      t.end = arrival(end - 1, m);
      if (end - at > 1) t.way = {static_cast<std::uint32_t>(s_.hops.size()), end - at};
      for (std::uint32_t hop = at; hop < end && end - at > 1; ++hop)
        s_.hops.push_back({.start = made_.starts[hop], .end = arrival(hop, m), .id = 0, .to = link(hop).to});
      s_.transfers.push_back(t);
    }
  }
  [[nodiscard]] const LinkGraph::Link& link(std::uint32_t position) const {
    return graph_.links[made_.moves.links[position]];
  }
  [[nodiscard]] Picoseconds arrival(std::uint32_t position, const Move& m) const {
    return made_.starts[position] +
           hop_time(problem_, made_.moves.links[position], made_.moves.pieces[m.piece].bytes).arrival;
  }

  void number_legs() {
    std::vector<Leg> legs;
    for (std::uint32_t i = 0; i < s_.transfers.size(); ++i) {
      for (std::uint32_t h = 0; h < leg_count(s_.transfers[i]); ++h) legs.push_back(leg_at(s_, i, h));
    }
    std::ranges::stable_sort(legs, {}, [](const Leg& l) { return std::tuple(l.start, l.src, l.dst); });
    for (std::uint32_t id = 0; id < legs.size(); ++id) {
      Schedule::Transfer& t = s_.transfers[legs[id].transfer];
      if (legs[id].hop == 0) t.id = static_cast<std::int32_t>(id);
      if (t.way.count != 0) s_.hops[t.way.begin + legs[id].hop].id = static_cast<std::int32_t>(id);
    }
  }

  const SynthesisProblem& problem_;
  const LinkGraph& graph_;
  const TimedMoves& made_;
  Schedule s_;
};

}  // namespace

std::uint32_t Moves::add(const LinkGraph& graph, std::uint32_t piece, std::uint32_t link, std::uint32_t parent) {
  const LinkGraph::Link& l = graph.links[link];
  Move m{.piece = piece, .from = l.from, .to = l.to};
  m.way = {static_cast<std::uint32_t>(links.size()), 1};
  links.push_back(link);
  m.parents.begin = static_cast<std::uint32_t>(parents.size());
  if (parent != no_index) {
    parents.push_back(parent);
    m.parents.count = 1;
  }
  moves.push_back(m);
  return static_cast<std::uint32_t>(moves.size() - 1);
}

Picoseconds sending_ps(const LinkGraph& graph, const LinkGraph::Link& link, std::int64_t bytes) {
  return round_to_ps(static_cast<double>(bytes) / bytes_per_ns(graph, link));
}

HopTime hop_time(const SynthesisProblem& problem, std::uint32_t link, std::int64_t bytes) {
  const LinkGraph::Link& l = problem.graph.links[link];
  // A move without duration could not be distinguished from the moves that wait for it.
  const Picoseconds sending = std::max<Picoseconds>(1, sending_ps(problem.graph, l, bytes));
  if (sending > most_schedule_ps || l.latency_ps > most_schedule_ps - sending)
    throw input_error({.file = problem.source}, "a message of " + format_bytes(bytes) + " over the link from " +
                                                    problem.wires.device_name(l.from) + " to " +
                                                    problem.wires.device_name(l.to) + " takes more than 53 days");
  const Picoseconds arrival = sending + l.latency_ps;
  return {arrival, problem.occupancy == Schedule::Occupancy::beta ? sending : arrival};
}

std::vector<std::int64_t> piece_sizes(std::int64_t bytes, std::int64_t count) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t k = 0; k < count; ++k) sizes.push_back(part_bytes(bytes, count, k));
  return sizes;
}

Schedule schedule_of(const SynthesisProblem& problem, const TimedMoves& made) {
  return ScheduleMaker(problem, made).run();
}

}  // namespace convert
