// SPDX-License-Identifier: MIT
#include "config/network/routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "common/expect_error.h"
#include "core/diagnostic.h"

namespace convert {
namespace {

// "npu0 npu1 npu2": the devices on the route. Every hop must be a link between its ends.
std::string way(Router& router, Device src, Device dst) {
  Position p{.at = src, .dst = dst};
  std::string text = router.device_name(src);
  for (int hops = 0; hops < 100; ++hops) {
    const Device from = p.at;
    const Hop hop = router.step(p);
    EXPECT_LT(hop.wire, router.wires());
    EXPECT_EQ(router.ends(hop.wire), (std::pair{from, p.at})) << text;
    EXPECT_GT(hop.bytes_per_ns, 0);
    text += " " + router.device_name(p.at);
    if (p.at == dst) return text;
  }
  return text + " …";
}
std::string way(const std::string& network, Device src, Device dst, std::optional<Routing> routing = {},
                const std::vector<std::string>& failed = {}) {
  return way(*make_router(parse_short_network(network), routing, failed), src, dst);
}
std::size_t hops(const std::string& way) {
  return static_cast<std::size_t>(std::count(way.begin(), way.end(), ' '));
}

std::string router_error(const std::string& network, std::optional<Routing> routing,
                         const std::vector<std::string>& failed, Error::Kind kind = Error::Kind::usage) {
  return test::error_message([&] { (void)make_router(parse_short_network(network), routing, failed); }, kind);
}

TEST(Routes, ByDimension) {
  EXPECT_EQ(way("torus:4x4,bw=1GB/s", 0, 15), "npu0 npu3 npu15");
  EXPECT_EQ(way("torus:4x4,bw=1GB/s", 0, 10), "npu0 npu1 npu2 npu6 npu10");  // ties go up
  EXPECT_EQ(way("torus:5,bw=1GB/s", 1, 4), "npu1 npu0 npu4");
  EXPECT_EQ(way("mesh:4x4,bw=1GB/s", 0, 15), "npu0 npu1 npu2 npu3 npu7 npu11 npu15");
  EXPECT_EQ(way("mesh:4x4,bw=1GB/s", 14, 4), "npu14 npu13 npu12 npu8 npu4");
  EXPECT_EQ(way("hypercube:8,bw=1GB/s", 5, 2), "npu5 npu4 npu6 npu2");
  EXPECT_EQ(way("ring:2,bw=1GB/s", 1, 0), "npu1 npu0");
  EXPECT_EQ(way("switch:4,bw=1GB/s", 3, 1), "npu3 switch0 npu1");
  EXPECT_EQ(way("switch:4,bw=1GB/s", 3, 3), "npu3 switch0 npu3");
  EXPECT_EQ(way("fully_connected:4,bw=1GB/s", 3, 1), "npu3 npu1");
  // Switches are numbered by dimension, then instance.
  const std::string net = "switch:2,bw=1GB/s+ring:3,bw=1GB/s+switch:2,bw=1GB/s";
  EXPECT_EQ(way(net, 0, 11), "npu0 switch0 npu1 npu5 switch11 npu11");
  EXPECT_EQ(way(net, 10, 3), "npu10 switch5 npu11 npu9 switch9 npu3");
}

TEST(Routes, ThroughTrees) {
  EXPECT_EQ(way("tree:2x3,bw=1GB/s", 0, 1), "npu0 switch0 npu1");
  EXPECT_EQ(way("tree:2x3,bw=1GB/s", 0, 5), "npu0 switch0 switch3 switch2 npu5");
  EXPECT_EQ(way("tree:2x2x2,bw=1GB/s", 7, 1), "npu7 switch3 switch5 switch6 switch4 switch0 npu1");
  EXPECT_EQ(way("tree:2x2x2,bw=1GB/s", 7, 5), "npu7 switch3 switch5 switch2 npu5");
}

// Computed routes use existing links, and are no longer than the shortest routes.
TEST(Routes, ComputedWaysAreShortest) {
  for (const char* network :
       {"torus:4x3x2,bw=1GB/s", "mesh:3x4,bw=1GB/s+switch:2,bw=1GB/s", "hypercube:16,bw=1GB/s",
        "fully_connected:5,bw=1GB/s+mesh:3,bw=1GB/s", "switch:3,bw=1GB/s+ring:5,bw=1GB/s",
        "tree:2x3x2,bw=4GB/s|2GB/s|1GB/s", "tree:5,bw=1GB/s", "ring:2,bw=1GB/s", "switch:6,bw=1GB/s"}) {
    const NetworkConfig config = parse_short_network(network);
    const auto computed = make_router(config);
    const auto shortest = make_router(config, Routing::shortest);
    std::set<std::pair<Device, Device>> wires;
    for (std::uint32_t l = 0; l < shortest->wires(); ++l) {
      EXPECT_TRUE(wires.insert(shortest->ends(l)).second);
    }
    std::size_t numbered = 0;
    for (std::uint32_t l = 0; l < computed->wires(); ++l) {
      if (computed->ends(l).first == computed->ends(l).second) continue;
      ++numbered;
      EXPECT_EQ(wires.count(computed->ends(l)), 1U) << network;
    }
    EXPECT_EQ(numbered, wires.size()) << network;
    const auto n = static_cast<Device>(config.npus());
    for (Device a = 0; a < n; ++a) {
      for (Device b = 0; b < n; ++b) {
        if (a == b) continue;
        const std::string one = way(*computed, a, b);
        const std::string two = way(*shortest, a, b);
        EXPECT_EQ(hops(one), hops(two)) << network << ": " << one << ", " << two;
        if (!config.levels.empty()) {
          EXPECT_EQ(one, two);
        }
      }
    }
  }
}

TEST(Routes, ShortestPrefersFewHopsThenLowLatencyThenLowNumbers) {
  const auto way_in = [](const std::string& wires) {
    return way(*make_router(parse_network_yaml(
                   "n.yml", "npus: 5\ndefaults: {bandwidth: 1GB/s, latency: 10ns}\nlinks:\n" + wires)),
               0, 4);
  };
  const std::string rest = " - {between: [0..2, 3], latency: 1us}\n";
  EXPECT_EQ(way_in(" - {between: [0, 1..2]}\n - {between: [4, 1..2]}\n" + rest), "npu0 npu1 npu4");
  EXPECT_EQ(way_in(" - {between: [0, 1..2]}\n - {between: [1, 4], latency: 11ns}\n - {between: [2, 4]}\n" + rest),
            "npu0 npu2 npu4");
  EXPECT_EQ(way_in(" - {between: [0, 1..2]}\n - {between: [4, 1..2]}\n - {between: [0, 4], latency: 1ms}\n" + rest),
            "npu0 npu4");
}

TEST(Routes, ShortestPrefersTheLeastSumOfWeights) {
  const auto way_in = [](const std::string& wires) {
    return way(*make_router(parse_network_yaml(
                   "n.yml", "npus: 5\ndefaults: {bandwidth: 1GB/s, latency: 10ns}\nlinks:\n" + wires)),
               0, 4);
  };
  const std::string chain =
      " - {between: [0, 1]}\n - {between: [1, 2]}\n - {between: [2, 4]}\n - {between: [3, 0]}\n";
  EXPECT_EQ(way_in(chain + " - {between: [3, 4], weight: 3}\n"), "npu0 npu1 npu2 npu4");
  EXPECT_EQ(way_in(chain + " - {between: [3, 4], weight: 2}\n"), "npu0 npu3 npu4");
  EXPECT_EQ(way_in(chain + " - {between: [3, 4], weight: 2, latency: 1us}\n"), "npu0 npu1 npu2 npu4");
  // Reached first by a link that is not part of the shortest route.
  EXPECT_EQ(way_in(" - {between: [0, 4], weight: 9}\n" + chain + " - {between: [3, 4], weight: 3}\n"),
            "npu0 npu1 npu2 npu4");
}

TEST(Routes, AvoidFailedWires) {
  EXPECT_EQ(way("ring:6,bw=1GB/s", 0, 2, {}, {"1-2"}), "npu0 npu5 npu4 npu3 npu2");
  EXPECT_EQ(way("ring:6,bw=1GB/s", 2, 0, {}, {"1>2"}), "npu2 npu1 npu0");
  EXPECT_EQ(way("ring:6,bw=1GB/s", 0, 2, {}, {"npu1>npu2"}), "npu0 npu5 npu4 npu3 npu2");
  EXPECT_EQ(way("mesh:3x3,bw=1GB/s", 0, 2, {}, {"0-1"}), "npu0 npu3 npu4 npu1 npu2");
  EXPECT_EQ(way("switch:2,bw=1GB/s+switch:2,bw=1GB/s", 0, 1, {}, {"npu0-switch0"}),
            "npu0 switch2 npu2 switch1 npu3 switch3 npu1");
  EXPECT_EQ(router_error("ring:4,bw=1GB/s", {}, {"0-1", "2-3"}, Error::Kind::input),
            "without the failed links there is no route from npu0 to npu1");
  EXPECT_EQ(router_error("ring:4,bw=1GB/s", {}, {"0>1", "1>0", "0>3"}, Error::Kind::input),
            "without the failed links there is no route from npu0 to npu1");
  EXPECT_EQ(router_error("ring:4,bw=1GB/s", {}, {"1>0", "3>0"}, Error::Kind::input),
            "without the failed links there is no route from npu1 to npu0");
  EXPECT_EQ(router_error("tree:2x2,bw=1GB/s", {}, {"switch0-switch2"}, Error::Kind::input),
            "without the failed links there is no route from npu0 to npu2");
}

TEST(Routes, ExplainFailedWiresThatAreNone) {
  EXPECT_EQ(router_error("ring:4,bw=1GB/s", {}, {"0-2"}), "failed link '0-2': no link from npu0 to npu2");
  EXPECT_EQ(router_error("ring:4,bw=1GB/s", {}, {"0-4"}), "failed link '0-4': the network has no device '4'");
  EXPECT_EQ(router_error("ring:4,bw=1GB/s", {}, {"01"}),
            "failed link '01': requires two devices, such as 3-4 or npu3-switch0, or 3>4");
  EXPECT_EQ(router_error("switch:4,bw=1GB/s", {}, {"0-swich0"}),
            "failed link '0-swich0': the network has no device 'swich0'; did you mean switch0?");
}

TEST(Routes, ExplainRoutingThatTheNetworkHasNot) {
  EXPECT_EQ(router_error("tree:2x2,bw=1GB/s", Routing::dimension, {}),
            "network 'tree:2x2,bw=1GB/s' has no dimensions to route by; use shortest");
  EXPECT_EQ(router_error("ring:4,bw=1GB/s", Routing::dimension, {"0-1"}),
            "routing by dimension cannot avoid failed links; use shortest");
}

TEST(Routes, AreBounded) {
  EXPECT_NO_THROW((void)make_router(parse_short_network("torus:256x256x256,bw=1GB/s")));
  EXPECT_NO_THROW((void)make_router(parse_short_network("tree:256x256x256,bw=1GB/s")));
  EXPECT_THROW((void)make_router(parse_short_network("torus:256x256x256,bw=1GB/s"), Routing::shortest), Error);
  EXPECT_THROW((void)make_router(parse_short_network("torus:128x128,bw=1GB/s"), Routing::shortest), Error);
  EXPECT_THROW((void)make_router(parse_short_network("fully_connected:8192,bw=1GB/s"), Routing::shortest), Error);
  EXPECT_THROW((void)make_router(parse_short_network("fully_connected:65536,bw=1GB/s")), Error);
  EXPECT_EQ(way("torus:96x96,bw=1GB/s", 0, 97, Routing::shortest), "npu0 npu1 npu97");
}

std::uint64_t links(const std::string& network, const std::vector<std::string>& failed = {}) {
  return count_wires(parse_short_network(network), failed);
}

TEST(CountWires, OfEachTopology) {
  EXPECT_EQ(links("ring:8,bw=1GB/s"), 16U);
  EXPECT_EQ(links("ring:2,bw=1GB/s"), 2U);
  EXPECT_EQ(links("mesh:8,bw=1GB/s"), 14U);
  EXPECT_EQ(links("mesh:4x3,bw=1GB/s"), 34U);  // 3 lines of 6, 4 of 4
  EXPECT_EQ(links("torus:4x4,bw=1GB/s"), 64U);
  EXPECT_EQ(links("hypercube:8,bw=1GB/s"), 24U);
  EXPECT_EQ(links("switch:8,bw=1GB/s"), 16U);
  EXPECT_EQ(links("fully_connected:8,bw=1GB/s"), 56U);
  EXPECT_EQ(links("fully_connected:8,bw=1GB/s+switch:4,bw=1GB/s"), 4U * 56 + 8 * 8);
  EXPECT_EQ(links("ideal"), 0U);
  EXPECT_EQ(links("fully_connected:1000000,bw=1GB/s"), 999'999'000'000U);
}

TEST(CountWires, AreThoseOfTheGraph) {
  for (const char* network :
       {"ring:3,bw=1GB/s", "ring:2,bw=1GB/s+ring:5,bw=1GB/s", "mesh:2x3x4,bw=1GB/s", "torus:2x2x3,bw=1GB/s",
        "switch:3,bw=1GB/s+mesh:2,bw=1GB/s", "fully_connected:5,bw=1GB/s+switch:2,bw=1GB/s+ring:3,bw=1GB/s",
        "tree:2x3x4,bw=1GB/s"}) {
    EXPECT_EQ(links(network), build_wire_graph(parse_short_network(network)).wires.size()) << network;
  }
  NetworkConfig list;
  list.graph = {.npus = 3, .wires = {{0, 1, 1, 0}, {1, 2, 1, 0}, {2, 0, 1, 0}}};
  EXPECT_EQ(count_wires(list), 3U);
  EXPECT_EQ(links("ring:8,bw=1GB/s", {"0-1"}), 14U);
  EXPECT_EQ(links("ring:8,bw=1GB/s", {"3>4"}), 15U);
}

}  // namespace
}  // namespace convert
