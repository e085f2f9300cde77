// SPDX-License-Identifier: MIT
// Algorithms for groups of a network: in the order of the members, proved, and shared by equivalent groups.
#include "sets/synthesized/library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/expect_error.h"
#include "passes/verify/verify.h"
#include "sanitized.h"
#include "unit/passes/lowered.h"
#include "unit/synthesis/random_graphs.h"

namespace convert::library_cases {
namespace {

constexpr SynthesisChoice fast{.effort = SynthesisEffort::fast};

SynthesisLibrary library_of(const NetworkConfig& network) {
  return SynthesisLibrary(network, {}, Schedule::Occupancy::beta);
}

// Renumbers the NPUs of a torus, and lists its links in another order.
NetworkConfig shuffled(const NetworkConfig& network, std::uint64_t seed, std::vector<Rank>& number) {
  test::SynthesisDraw draw(seed);
  NetworkConfig out{.source = "shuffled", .graph = build_wire_graph(network)};
  number.resize(out.graph.npus);
  std::iota(number.begin(), number.end(), Rank{0});
  draw.shuffle(number);
  for (GraphWire& w : out.graph.wires) {
    w.from = number[w.from];
    w.to = number[w.to];
  }
  draw.shuffle(out.graph.wires);
  return out;
}

TEST(SynthesisLibraries, GroupsThatLieAlikeShareAnAlgorithm) {
  const NetworkConfig torus = parse_short_network("torus:4x4,bw=50GB/s,lat=500ns");
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    std::vector<Rank> number;
    SynthesisLibrary library = library_of(shuffled(torus, seed, number));
    const auto made = [&](std::vector<Rank> group, Collective c = Collective::all_gather, std::uint32_t root = 0) {
      for (Rank& r : group) r = number[r];
      (void)library.make({.collective = c, .group = group, .root = root, .bytes = 1 << 20}, fast, 1);
      return library.made();
    };
    EXPECT_EQ(made({0, 1, 2, 3}), 1U);
    EXPECT_EQ(made({4, 5, 6, 7}), 1U);
    EXPECT_EQ(made({9, 10, 11, 8}), 1U);
    EXPECT_EQ(made({3, 2, 1, 0}), 1U);
    EXPECT_EQ(made({1, 5, 9, 13}), 1U);  // a column
    EXPECT_EQ(made({0, 2, 1, 3}), 2U);   // in another order
    EXPECT_EQ(made({0, 1, 4, 5}), 3U);
    EXPECT_EQ(made({6, 7, 10, 11}), 3U);
    EXPECT_EQ(made({0, 1, 2, 3}, Collective::broadcast), 4U);
    EXPECT_EQ(made({0, 1, 2, 3}, Collective::broadcast, 1), 5U);
    EXPECT_EQ(made({8, 9, 10, 11}, Collective::broadcast, 1), 5U);
  }
}

TEST(SynthesisLibraries, WhatNothingPassesIsLeftOut) {
  NetworkConfig network{.source = "tail"};
  network.graph.npus = 5;
  for (const auto& [a, b] : {std::pair{0U, 1U}, {1U, 2U}, {2U, 3U}, {3U, 4U}}) {
    test::add_wire(network.graph, a, b, 50);
    test::add_wire(network.graph, b, a, 50);
  }
  const GroupNetwork view = network_of_group(network.graph, std::vector<Rank>{2, 0}, true, network.source);
  EXPECT_EQ(view.device, (std::vector<Device>{2, 0, 1}));
  EXPECT_EQ(view.network.graph.npus, 2U);
  EXPECT_EQ(view.network.graph.switches, 1U);
  EXPECT_EQ(view.network.graph.wires.size(), 4U);
  EXPECT_EQ(view.text(), network_of_group(network.graph, std::vector<Rank>{2, 4}, true, network.source).text());
}

// If all groups of a workload communicate at once, a detour for one group is the shortest route of another.
TEST(SynthesisLibraries, OtherNpusPassOnWhatNeedsThem) {
  const WireGraph torus = build_wire_graph(parse_short_network("torus:4x4,bw=50GB/s,lat=500ns"));
  const std::vector<Rank> row{4, 5, 6, 7};
  EXPECT_EQ(network_of_group(torus, row, false, "torus").device, (std::vector<Device>{4, 5, 6, 7}));
  EXPECT_EQ(network_of_group(torus, row, true, "torus").device.size(), 16U);
  const std::vector<Rank> corners{0, 10};  // not neighbours
  EXPECT_EQ(network_of_group(torus, corners, false, "torus").device.size(), 16U);
  const WireGraph rails = build_wire_graph(parse_short_network("switch:4,bw=50GB/s,lat=500ns"));
  EXPECT_EQ(network_of_group(rails, std::vector<Rank>{3, 1}, false, "rails").device,
            (std::vector<Device>{3, 1, 4}));
}

TEST(SynthesisLibraries, EveryCollectiveOfRandomGroupsIsProved) {
  test::SynthesisDraw draw(7);
  for (int round = 0; round < test::rounds(32); ++round) {
    const NetworkConfig network = test::random_network(draw, 9, round % 2 == 0 ? 0 : 3);
    SynthesisLibrary library = library_of(network);
    std::vector<Rank> group = test::random_group(draw, network.graph.npus);
    draw.shuffle(group);
    for (const Collective c : {Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce,
                               Collective::broadcast, Collective::reduce, Collective::all_to_all}) {
      const GroupCollective wanted{.collective = c,
                                   .group = group,
                                   .root = draw.below(static_cast<std::uint32_t>(group.size())),
                                   .bytes = 1000 + draw.below(100'000),
                                   .detours = round % 3 == 0};
      const Algorithm a = library.make(wanted, fast, 1);
      ASSERT_EQ(a.ranks(), static_cast<std::int32_t>(group.size()));
      EXPECT_TRUE(a.relays.empty());
      EXPECT_EQ(a.scheduled_for.network, network_id(network.graph));
      for (const TransferHop& hop : a.hops) EXPECT_LT(hop.to, network.graph.devices());
      Diagnostics diagnostics;
      verify(make_step_graph(test::lower(a), diagnostics),
             {.dataflow = true, .collective = c, .soft = Severity::error}, diagnostics);
      EXPECT_EQ(diagnostics.errors(), 0U) << name(c) << ", round " << round << ": "
                                          << (diagnostics.all().empty() ? "" : diagnostics.all()[0].message);
    }
  }
}

TEST(SynthesisLibraries, WhatTheNetworkLacksIsNamed) {
  const NetworkConfig ring = parse_short_network("ring:4,bw=50GB/s,lat=500ns");
  const auto message = [&](const std::vector<std::string>& failed, Error::Kind kind) {
    return test::error_message(
        [&] {
          SynthesisLibrary library(ring, failed, Schedule::Occupancy::beta);
          (void)library.make({.group = {1, 3}, .bytes = 100}, fast, 1);
          (void)library.make({.group = {1, 4}, .bytes = 100}, fast, 1);
        },
        kind);
  };
  EXPECT_EQ(message({}, Error::Kind::usage), "the network ring:4,bw=50GB/s,lat=500ns has 4 NPUs, none for rank 4");
  EXPECT_EQ(message({"0-3", "2>3"}, Error::Kind::input), "there is no route from npu1 to npu3");
  EXPECT_EQ(test::error_message([] { library_of(parse_short_network("ideal")); }, Error::Kind::usage),
            "synthesized algorithms require a network with links, not an ideal network");
}

TEST(SynthesisLibraries, SizesOfAClass) {
  EXPECT_EQ(size_class(1), size_class(1));
  EXPECT_NE(size_class(1), size_class(2));
  EXPECT_EQ(size_class(1024), size_class(2047));
  EXPECT_NE(size_class(1024), size_class(2048));
  EXPECT_EQ(size_class(-5), size_class(0));
}

}  // namespace
}  // namespace convert::library_cases
