// SPDX-License-Identifier: MIT
#include "synthesis/graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "synthesis/fraction.h"

namespace convert {
namespace {

constexpr double bytes_per_s = 1e9;  // per byte per nanosecond

// The times of messages may differ by at most twice this value, see passes/ten/check.cpp.
constexpr double most_rounding = 5e-7;

// Returns a rate as text if it cannot be rounded to whole bytes per second; else an empty text.
std::string fraction_of(double rate) {
  if (std::abs(rate - std::round(rate)) <= most_rounding * rate) return {};
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.9g", rate);
  return text.data();
}

void index_links(LinkGraph& graph) {
  const std::vector<LinkGraph::Link>& links = graph.links;
  graph.out = rows_by_key(links.size(), graph.devices, [&](std::size_t i) { return links[i].from; });
  graph.in = rows_by_key(links.size(), graph.devices, [&](std::size_t i) { return links[i].to; });
}

std::int64_t sum_of(const LinkGraph& graph, std::span<const std::uint32_t> links) {
  std::int64_t sum = 0;
  for (const std::uint32_t l : links) sum += graph.links[l].bandwidth;
  return sum;
}

}  // namespace

LinkGraph make_link_graph(const WireGraph& wires, const std::string& source,
                          std::span<const std::uint8_t> left_out) {
  LinkGraph graph{.npus = wires.npus, .devices = wires.devices()};
  const auto taken = [&](Device d) { return left_out.empty() || left_out[d] == 0; };
  double sum = 0;
  std::int64_t unit = 0;
  for (const GraphWire& w : wires.wires) {
    if (!taken(w.from) || !taken(w.to)) continue;
    const double rate = w.bytes_per_ns * bytes_per_s;
    sum += rate;
    const auto refuse = [&](const std::string& why) {
      return input_error({.file = source}, "the link from " + wires.device_name(w.from) + " to " +
                                               wires.device_name(w.to) + why + " whole bytes per second");
    };
    if (!(rate >= 0.5)) throw refuse(" is slower than the minimum of 1 byte per second; rates are in");
    if (!(sum < static_cast<double>(most_synthesis_integer)))
      throw refuse(" makes the sum of all rates too large for");
    if (const std::string text = fraction_of(rate); !text.empty())
      throw refuse(" has " + text + " bytes per second; rates below 1 MB/s must be");
    graph.links.push_back({w.from, w.to, std::llround(rate), w.latency_ps});
    unit = std::gcd(unit, graph.links.back().bandwidth);
  }
  graph.unit = std::max<std::int64_t>(unit, 1);
  for (LinkGraph::Link& l : graph.links) l.bandwidth /= graph.unit;
  index_links(graph);
  return graph;
}

Error takes_too_long() {
  return input_error({}, "the collective takes more than 53 days; check size, bandwidths and latencies");
}

LinkGraph reversed(LinkGraph graph) {
  for (LinkGraph::Link& l : graph.links) std::swap(l.from, l.to);
  std::swap(graph.out, graph.in);
  return graph;
}

std::int64_t bandwidth_out(const LinkGraph& graph, Device d) { return sum_of(graph, graph.out[d]); }
std::int64_t bandwidth_in(const LinkGraph& graph, Device d) { return sum_of(graph, graph.in[d]); }

std::vector<std::uint32_t> links_out_of(const LinkGraph& graph, std::span<const std::uint8_t> inside) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t l = 0; l < graph.links.size(); ++l) {
    if (inside[graph.links[l].from] != 0 && inside[graph.links[l].to] == 0) out.push_back(l);
  }
  return out;
}

std::vector<std::uint8_t> reached_from(const LinkGraph& graph, Device from) {
  std::vector<std::uint8_t> reached(graph.devices, 0);
  std::vector<Device> open = {from};
  reached[from] = 1;
  while (!open.empty()) {
    const Device d = open.back();
    open.pop_back();
    for (const std::uint32_t l : std::as_const(graph.out)[d]) {
      const Device to = graph.links[l].to;
      if (std::exchange(reached[to], 1) == 0) open.push_back(to);
    }
  }
  return reached;
}

std::vector<Picoseconds> latencies_from(const LinkGraph& graph, std::span<const Device> from) {
  std::vector<Picoseconds> latency(graph.devices, unreached_ps);
  using Entry = std::pair<Picoseconds, Device>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  for (const Device d : from) {
    latency[d] = 0;
    open.emplace(0, d);
  }
  while (!open.empty()) {
    const auto [so_far, device] = open.top();
    open.pop();
    if (so_far > latency[device]) continue;
    for (const std::uint32_t l : graph.out[device]) {
      const LinkGraph::Link& link = graph.links[l];
      Picoseconds ps = 0;
      if (__builtin_add_overflow(so_far, link.latency_ps, &ps))
        throw input_error({}, "latencies add up to more than 106 days");
      if (ps >= latency[link.to]) continue;
      latency[link.to] = ps;
      open.emplace(ps, link.to);
    }
  }
  return latency;
}

LinkFinder::LinkFinder(const LinkGraph& graph)
    : graph_(graph), sorted_(graph.links.size()), first_(graph.devices + 1, 0) {
  std::iota(sorted_.begin(), sorted_.end(), 0U);
  std::ranges::sort(sorted_, {},
                    [&](std::uint32_t l) { return std::pair(graph.links[l].from, graph.links[l].to); });
  for (const LinkGraph::Link& l : graph.links) ++first_[l.from + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

std::uint32_t LinkFinder::find(Device from, Device to) const {
  const auto begin = sorted_.begin() + first_[from], end = sorted_.begin() + first_[from + 1];
  const auto at =
      std::lower_bound(begin, end, to, [&](std::uint32_t l, Device d) { return graph_.links[l].to < d; });
  return at != end && graph_.links[*at].to == to ? *at : no_index;
}

}  // namespace convert
