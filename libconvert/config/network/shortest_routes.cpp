// SPDX-License-Identifier: MIT
#include "config/network/shortest_routes.h"

#include <algorithm>
#include <utility>

#include "util/draw.h"

namespace convert {
namespace {

Picoseconds add(Picoseconds a, Picoseconds b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

}  // namespace

ShortestRouter::ShortestRouter(WireGraph graph, const RouteSpread& spread)
    : spread_(spread), may_have_ties_(convert::may_have_ties(graph)) {
  if (!may_have_ties_) spread_.multipath = Multipath::single;
  if (spread_.multipath == Multipath::split && !spread.names_links) {
    BundledGraph bundled = bundle_links(graph);
    whole_ = std::exchange(graph, std::move(bundled.graph));
    links_ = std::move(bundled.links);
  }
  graph_ = std::move(graph);
  const std::vector<GraphWire>& wires = graph_.wires;
  in_ = rows_by_key(wires.size(), graph_.devices(), [&](std::size_t i) { return wires[i].to; });
  if (may_have_ties_)
    out_ = rows_by_key(wires.size(), graph_.devices(), [&](std::size_t i) { return wires[i].from; });
  by_hops_ = std::ranges::all_of(wires, [](const GraphWire& w) { return w.weight == 1; });
  rows_.resize(graph_.devices());
}

Hop ShortestRouter::take(Position& p, std::uint32_t wire) const {
  const GraphWire& w = graph_.wires[wire];
  p.at = w.to;
  return {wire, w.bytes_per_ns, w.latency_ps};
}

const std::uint32_t* ShortestRouter::row(Device dst) {
  std::unique_ptr<std::uint32_t[]>& row = rows_[dst];
  if (row == nullptr) row = make_row(dst);
  return row.get();
}

Hop ShortestRouter::step(Position& p) {
  const std::uint32_t next = row(p.dst)[p.at];
  return take(p, (next & tie) == 0 ? next : choose(tied_[next & ~tie], p));
}

std::span<const std::uint32_t> ShortestRouter::ties(const Position& p) {
  const std::uint32_t next = row(p.dst)[p.at];
  return (next & tie) == 0 ? std::span<const std::uint32_t>{} : std::as_const(tied_)[next & ~tie];
}

std::uint32_t ShortestRouter::flow(Device src, Device dst, std::int64_t tag) const {
  return static_cast<std::uint32_t>(
      Draw(spread_.seed, src, dst, static_cast<std::uint64_t>(tag)).below(std::uint64_t{1} << 32U));
}

// Draws one link, with probability proportional to its bandwidth.
std::uint32_t ShortestRouter::choose(std::span<const std::uint32_t> tied, const Position& p) const {
  double sum = 0;
  for (const std::uint32_t wire : tied) sum += graph_.wires[wire].bytes_per_ns;
  double left = Draw(p.phase, p.at, 0).unit() * sum;
  for (const std::uint32_t wire : tied) {
    left -= graph_.wires[wire].bytes_per_ns;
    if (left < 0) return wire;
  }
  return tied.back();
}

std::vector<RoutedLink> ShortestRouter::links(std::uint32_t wire) const {
  if (links_.items.empty()) return Router::links(wire);
  std::vector<RoutedLink> out;
  for (const std::uint32_t link : links_[wire])
    out.push_back({link, whole_.wires[link].from, whole_.wires[link].to, whole_.wires[link].bytes_per_ns});
  return out;
}

// Searches backwards from the destination, by distance. The row's entry for `dst` itself is the first hop of the
// shortest route that leaves and returns.
std::unique_ptr<std::uint32_t[]> ShortestRouter::make_row(Device dst) {
  auto row = std::make_unique_for_overwrite<std::uint32_t[]>(graph_.devices());
  std::fill_n(row.get(), graph_.devices(), UINT32_MAX);
  distance_.assign(graph_.devices(), none);
  latency_.assign(graph_.devices(), 0);
  reached_.clear();
  open_.clear();
  open_[0] = {dst};
  for (std::size_t found = 0; !open_.empty();) {
    const auto [distance, devices] = std::move(*open_.begin());
    open_.erase(open_.begin());
    for (const Device v : devices) {
      if (v == dst ? distance != 0 : distance_[v] != distance) continue;
      found += reach_from(v, dst, distance, row.get());
      if (may_have_ties_ && v != dst) reached_.push_back(v);
    }
    if (by_hops_ && !may_have_ties_ && found == graph_.devices()) break;
  }
  if (may_have_ties_) find_ties(dst, row.get());
  return row;
}

// Takes the links into `v` that shorten a route. Returns the number of devices reached for the first time.
std::size_t ShortestRouter::reach_from(Device v, Device dst, std::uint64_t distance, std::uint32_t* row) {
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

void ShortestRouter::find_ties(Device dst, std::uint32_t* row) {
  relay_.assign(graph_.devices(), dst);
  for (const Device u : reached_) {
    const Device next = graph_.wires[row[u]].to;
    relay_[u] = next < graph_.npus ? next : relay_[next];
    if (next >= graph_.npus && next != dst) note_ties(u, dst, row);
  }
}

// Finds the links out of `u` that are as good as the chosen link: links to a switch, with an equally short route
// from it and the same first NPU on this route.
void ShortestRouter::note_ties(Device u, Device dst, std::uint32_t* row) {
  std::vector<std::uint32_t> tied;
  for (const std::uint32_t wire : out_[u]) {
    const GraphWire& w = graph_.wires[wire];
    const bool as_short =
        w.to >= graph_.npus && w.to != dst && distance_[w.to] != none && distance_[w.to] + w.weight == distance_[u];
    if (as_short && relay_[w.to] == relay_[u]) tied.push_back(wire);
  }
  if (!links_.items.empty() && links_[row[u]].size() > 1) has_ties_ = true;
  if (tied.size() < 2) return;
  has_ties_ = true;
  if (spread_.multipath == Multipath::single) return;
  std::ranges::sort(tied, {}, [&](std::uint32_t wire) { return std::pair(graph_.wires[wire].to, wire); });
  const auto [at, added] = number_of_.try_emplace(tied, static_cast<std::uint32_t>(number_of_.size()));
  if (added) {
    tied_.items.insert(tied_.items.end(), tied.begin(), tied.end());
    tied_.end_row();
  }
  row[u] = tie | at->second;
}

}  // namespace convert
