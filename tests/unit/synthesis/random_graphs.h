// SPDX-License-Identifier: MIT
// Random small networks whose NPUs reach each other, for tests of properties of all networks.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "config/network/network.h"
#include "synthesis/problem.h"

namespace convert::test {

// The same numbers with every standard library.
class SynthesisDraw {
 public:
  explicit SynthesisDraw(std::uint64_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine_() % n); }
  template <typename T>
  const T& of(const std::vector<T>& all) {
    return all[below(static_cast<std::uint32_t>(all.size()))];
  }
  template <typename T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[below(static_cast<std::uint32_t>(i))]);
  }

 private:
  std::mt19937_64 engine_;
};

// Adds a link if it does not exist.
inline void add_wire(WireGraph& graph, Device from, Device to, double bytes_per_ns,
                     Picoseconds latency_ps = 500'000) {
  const bool there =
      std::ranges::any_of(graph.wires, [&](const GraphWire& w) { return w.from == from && w.to == to; });
  if (from != to && !there) graph.wires.push_back({from, to, bytes_per_ns, latency_ps});
}

inline void add_random_wire(WireGraph& graph, SynthesisDraw& draw, Device from, Device to) {
  static const std::vector<double> rates = {50, 25, 75, 43.478, 100, 12.5};
  add_wire(graph, from, to, draw.of(rates), Picoseconds{100'000} * (1 + draw.below(9)));
}

// A ring of all devices in random order, and more links between random devices.
inline NetworkConfig random_network(SynthesisDraw& draw, std::uint32_t most_npus, std::uint32_t most_switches) {
  NetworkConfig out{.source = "random"};
  out.graph.npus = 2 + draw.below(most_npus - 1);
  out.graph.switches = draw.below(most_switches + 1);
  const std::uint32_t n = out.graph.devices();
  std::vector<Device> order(n);
  std::iota(order.begin(), order.end(), Device{0});
  draw.shuffle(order);
  for (std::uint32_t i = 0; i < n; ++i) add_random_wire(out.graph, draw, order[i], order[(i + 1) % n]);
  for (std::uint32_t more = draw.below(3 * n); more > 0; --more)
    add_random_wire(out.graph, draw, draw.below(n), draw.below(n));
  return out;
}

// Some of the NPUs, at least two.
inline std::vector<Rank> random_group(SynthesisDraw& draw, std::uint32_t npus) {
  std::vector<Rank> all(npus);
  std::iota(all.begin(), all.end(), Rank{0});
  draw.shuffle(all);
  all.resize(2 + draw.below(npus - 1));
  std::ranges::sort(all);
  return all;
}

// The problem of a collective with `shard_bytes` for each participant.
inline SynthesisProblem problem_of(const NetworkConfig& network, Collective collective,
                                   std::int64_t shard_bytes = 1 << 20,
                                   const std::optional<std::vector<Rank>>& group = std::nullopt,
                                   std::optional<Rank> root = std::nullopt) {
  const std::size_t n = group ? group->size() : static_cast<std::size_t>(network.npus());
  Diagnostics diagnostics;
  return make_problem(
      network,
      {.collective = collective, .bytes = shard_bytes * static_cast<std::int64_t>(n), .group = group, .root = root},
      diagnostics);
}

}  // namespace convert::test
