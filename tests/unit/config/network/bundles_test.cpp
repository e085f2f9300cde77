// SPDX-License-Identifier: MIT
#include "config/network/bundles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/network/routes.h"

namespace convert {
namespace {

NetworkConfig listed(const std::string& text) { return parse_network_yaml("n.yml", text); }

// A fat tree of k pods: k^3/4 hosts, k^2/2 edge switches, as many aggregation switches, k^2/4 cores.
NetworkConfig fat_tree(std::uint32_t k, double bytes_per_ns = 1) {
  const std::uint32_t half = k / 2;
  NetworkConfig config{.source = "fat tree"};
  WireGraph& g = config.graph;
  g.npus = k * half * half;
  g.switches = 2 * k * half + half * half;
  const auto edge = [&](std::uint32_t pod, std::uint32_t i) { return g.npus + pod * half + i; };
  const auto above = [&](std::uint32_t pod, std::uint32_t i) { return g.npus + k * half + pod * half + i; };
  const auto core = [&](std::uint32_t i, std::uint32_t j) { return g.npus + 2 * k * half + i * half + j; };
  const auto add = [&](Device a, Device b) {
    g.wires.push_back({.from = a, .to = b, .bytes_per_ns = bytes_per_ns, .latency_ps = 1000});
    g.wires.push_back({.from = b, .to = a, .bytes_per_ns = bytes_per_ns, .latency_ps = 1000});
  };
  for (Device h = 0; h < g.npus; ++h) add(h, edge(h / (half * half), h / half % half));
  for (std::uint32_t pod = 0; pod < k; ++pod) {
    for (std::uint32_t i = 0; i < half; ++i) {
      for (std::uint32_t j = 0; j < half; ++j) {
        add(edge(pod, i), above(pod, j));
        add(above(pod, i), core(i, j));
      }
    }
  }
  return config;
}

TEST(Bundles, MakeATreeOfAFatTree) {
  const WireGraph whole = fat_tree(8).graph;
  const BundledGraph bundled = bundle_links(whole);
  std::set<Device> used;
  for (const GraphWire& w : bundled.graph.wires) used.insert(w.from);
  EXPECT_EQ(used.size(), 128U + 32 + 8 + 1);  // hosts, edges, one for each pod, one core
  EXPECT_EQ(bundled.graph.wires.size(), 2 * (128U + 32 + 8));
  std::map<double, int> rates;
  for (const GraphWire& w : bundled.graph.wires) ++rates[w.bytes_per_ns];
  EXPECT_EQ(rates, (std::map<double, int>{{1, 256}, {4, 64}, {16, 16}}));
  EXPECT_EQ(bundled.links.items.size(), whole.wires.size());
  auto all = bundled.links.items;
  std::ranges::sort(all);
  for (std::uint32_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i);
}

TEST(Bundles, SwitchesThatDifferStayApart) {
  // Spines s2 and s3 are equal; s4 is slower, s5 lacks a leaf.
  const BundledGraph b = bundle_links(listed("npus: 4\nswitches: [s0, s1, s2, s3, s4, s5]\n"
                                             "defaults: {bandwidth: 4GB/s, latency: 1us}\nlinks:\n"
                                             " - {between: [[0, 1], s0]}\n - {between: [[2, 3], s1]}\n"
                                             " - {between: [[s0, s1], [s2, s3]]}\n"
                                             " - {between: [[s0, s1], s4], bandwidth: 2GB/s}\n"
                                             " - {between: [s0, s5]}\n")
                                          .graph);
  std::set<std::pair<Device, double>> up;
  for (const GraphWire& w : b.graph.wires) {
    if (w.from == 4 && w.to >= 4) up.emplace(w.to - 4, w.bytes_per_ns);
  }
  EXPECT_EQ(up, (std::set<std::pair<Device, double>>{{2, 8}, {4, 2}, {5, 4}}));
}

// Returns the share of a message on each link if every device splits over the links of equal cost.
std::map<std::pair<Device, Device>, double> shares(const NetworkConfig& config, bool names_links, Device src,
                                                   Device dst) {
  const auto router =
      make_router(config, {}, {}, {.multipath = Multipath::split, .seed = 0, .names_links = names_links});
  std::map<std::pair<Device, Device>, double> out;
  std::vector<std::pair<Position, double>> open = {{{.at = src, .dst = dst}, 1}};
  while (!open.empty()) {
    const auto [at, share] = open.back();
    open.pop_back();
    if (at.at == dst) continue;
    const auto go = [&, from = at](std::uint32_t wire, double part, Position next) {
      double sum = 0;
      for (const RoutedLink& link : router->links(wire)) sum += link.bytes_per_ns;
      for (const RoutedLink& link : router->links(wire))
        out[{link.from, link.to}] += part * link.bytes_per_ns / sum;
      open.emplace_back(next, part);
    };
    const auto tied = router->ties(at);
    if (tied.empty()) {
      Position next = at;
      const Hop hop = router->step(next);
      go(hop.wire, share, next);
    } else {
      double sum = 0;
      for (const std::uint32_t wire : tied) sum += router->hop(wire).bytes_per_ns;
      for (const std::uint32_t wire : tied) {
        Position next = at;
        const Hop hop = router->take(next, wire);
        go(wire, share * hop.bytes_per_ns / sum, next);
      }
    }
  }
  return out;
}

// A bundle carries the sum of the loads of its links in a simulation without bundles.
TEST(Bundles, CarryWhatSplitMessagesDo) {
  std::mt19937 random(3);
  for (int i = 0; i < 60; ++i) {
    NetworkConfig config = fat_tree(4);
    std::vector<std::string> failed;
    for (int f = static_cast<int>(random() % 4); f > 0; --f) {
      const GraphWire& w = config.graph.wires[32 + random() % (config.graph.wires.size() - 32)];
      failed.push_back(config.graph.device_name(w.from) + "-" + config.graph.device_name(w.to));
    }
    for (int s = static_cast<int>(random() % 3); s > 0; --s)
      config.graph.wires[random() % config.graph.wires.size()].bytes_per_ns = 2;
    try {
      remove_failed_wires(config.graph, failed);
    } catch (const Error&) {
      continue;
    }
    for (int pair = 0; pair < 20; ++pair) {
      const auto src = static_cast<Device>(random() % 16);
      const auto dst = static_cast<Device>((src + 1 + random() % 15) % 16);
      const auto bundled = shares(config, false, src, dst);
      const auto apart = shares(config, true, src, dst);
      std::set<std::pair<Device, Device>> links;
      for (const auto& [link, share] : bundled) links.insert(link);
      for (const auto& [link, share] : apart) links.insert(link);
      for (const auto& link : links) {
        ASSERT_TRUE(bundled.contains(link) && apart.contains(link)) << i << ": " << src << " to " << dst;
        ASSERT_NEAR(bundled.at(link), apart.at(link), 1e-9) << i << ": " << src << " to " << dst;
      }
    }
  }
}

TEST(Multipath, TiesAreThroughSwitchesOnly) {
  const auto ties = [](const std::string& network) {
    const auto router =
        make_router(parse_short_network(network), Routing::shortest, {}, {.multipath = Multipath::split});
    for (Device a = 0; a < 8; ++a) {
      for (Device b = 0; b < 8; ++b) {
        for (Position p{.at = a, .dst = b}; p.at != b; router->step(p)) EXPECT_TRUE(router->ties(p).empty());
      }
    }
    return router->has_ties();
  };
  EXPECT_FALSE(ties("ring:8,bw=1GB/s"));
  EXPECT_FALSE(ties("torus:2x4,bw=1GB/s"));
  EXPECT_FALSE(ties("switch:2,bw=1GB/s+switch:4,bw=1GB/s"));
  EXPECT_FALSE(ties("tree:4x2,bw=1GB/s"));
}

TEST(Multipath, AHashTakesEachRouteOfAFatTree) {
  const NetworkConfig config = fat_tree(8);
  std::map<std::string, int> routes;
  const auto router = make_router(config, {}, {}, {.multipath = Multipath::hash, .seed = 5});
  for (int tag = 0; tag < 4000; ++tag) {
    std::string route;
    for (Position p{.at = 0, .dst = 127, .phase = router->flow(0, 127, tag)}; p.at != p.dst;) {
      router->step(p);
      route += ' ' + std::to_string(p.at);
    }
    ++routes[route];
  }
  EXPECT_EQ(routes.size(), 16U);
  for (const auto& [route, count] : routes) EXPECT_NEAR(count, 250, 80) << route;
  EXPECT_TRUE(router->has_ties());
  EXPECT_EQ(router->flow(1, 2, 3), router->flow(1, 2, 3));
  EXPECT_NE(router->flow(1, 2, 3), router->flow(2, 1, 3));
}

}  // namespace
}  // namespace convert
