// SPDX-License-Identifier: MIT
// Algorithms made for networks: each is checked and proved, and replays to its claimed time.
#include "sets/synthesized/synthesized.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <utility>

#include "common/expect_error.h"
#include "common/refutation.h"
#include "common/replay_traces.h"
#include "formats/format.h"
#include "sanitized.h"
#include "unit/passes/lowered.h"
#include "unit/synthesis/rails.h"
#include "unit/synthesis/random_graphs.h"

namespace convert::synthesized_cases {
namespace {

constexpr auto beta = Schedule::Occupancy::beta;
constexpr auto alpha_beta = Schedule::Occupancy::alpha_beta;

SynthesizedAlgorithm make(const NetworkConfig& network, const SynthesisRequest& request,
                          const SynthesisChoice& choice = {.effort = SynthesisEffort::fast}) {
  Diagnostics diagnostics;
  const SynthesisProblem problem = make_problem(network, request, diagnostics);
  return synthesize_algorithm(problem, choice, diagnostics);
}

void expect_right(const NetworkConfig& network, const SynthesisRequest& request, const SynthesizedAlgorithm& made,
                  const std::string& what) {
  const Schedule& s = made.made.schedule;
  ASSERT_GT(made.made.algorithm.ranks(), 0) << what;
  const auto traces = test::lower(made.made.algorithm);
  EXPECT_EQ(test::refutation(traces), "") << what;
  Diagnostics diagnostics;
  ReplayOptions options;
  options.network.model = NetworkModel::wires;
  options.network.forwarding = Forwarding::store;
  options.network.occupancy = request.occupancy == beta ? Occupancy::beta : Occupancy::alpha_beta;
  options.network.failed = request.failed;
  const auto result = test::replay_traces(traces, network, options, diagnostics);
  ASSERT_TRUE(result.has_value()) << what;
  EXPECT_TRUE(result->notes.empty()) << what << ": " << result->notes[0];
  EXPECT_EQ(result->status, ReplayStatus::complete) << what;
  const auto hops = static_cast<Picoseconds>(2 * network.npus() + 8);
  EXPECT_LE(std::abs(result->total_ps - *s.claimed_ps), hops) << what;
}

TEST(Synthesized, EveryCollectiveOnAnyNetworkIsProvedAndTakesItsTime) {
  test::SynthesisDraw draw(21);
  int refused = 0;
  for (int round = 0; round < test::rounds(40); ++round) {
    const NetworkConfig network = test::random_network(draw, 10, round % 2 == 0 ? 0 : 3);
    const std::uint32_t npus = network.graph.npus;
    for (const Collective c :
         {Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce, Collective::broadcast,
          Collective::reduce, Collective::all_to_all, Collective::scatter, Collective::gather}) {
      SynthesisRequest request{.collective = c, .bytes = std::int64_t{npus} * (1000 + draw.below(100'000))};
      request.occupancy = draw.below(2) == 0 ? beta : alpha_beta;
      if (round % 4 == 3) request.group = test::random_group(draw, npus);
      const SynthesisChoice choice{.effort = round % 5 == 0 ? SynthesisEffort::normal : SynthesisEffort::fast};
      const std::string what = std::string(name(c)) + ", round " + std::to_string(round);
      try {
        expect_right(network, request, make(network, request, choice), what);
      } catch (const Error& e) {  // for few groups on sparse networks
        ++refused;
        EXPECT_NE(std::string(e.what()).find("several partial sums of one chunk"), std::string::npos)
            << what << e.what();
        EXPECT_TRUE(request.group.has_value()) << what;
      }
    }
  }
  EXPECT_LE(refused, 6);
}

TEST(Synthesized, KnownShapesAreProvedOnAnyNetwork) {
  test::SynthesisDraw draw(77);
  for (int round = 0; round < test::rounds(16); ++round) {
    const NetworkConfig network = test::random_network(draw, 9, round % 2 == 0 ? 0 : 3);
    for (const Collective c : {Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce,
                               Collective::broadcast, Collective::reduce, Collective::all_to_all}) {
      SynthesisRequest request{.collective = c,
                               .bytes = std::int64_t{network.graph.npus} * (1 + draw.below(100'000))};
      request.occupancy = round % 3 == 0 ? alpha_beta : beta;
      const SynthesisChoice choice{.methods = {SynthesisMethod::builders}};
      expect_right(network, request, make(network, request, choice),
                   std::string(name(c)) + ", round " + std::to_string(round));
    }
  }
}

// Trees for one part of a symmetric system, with their images for the others.
TEST(Synthesized, SystemsOfLikePartsAreProved) {
  const std::vector<NetworkConfig> networks = {
      test::rails(4, 4), test::rails(6, 2), parse_short_network("torus:4x3,bw=50GB/s,lat=500ns"),
      parse_short_network("switch:6,bw=50GB/s,lat=500ns"),
      parse_short_network("fully_connected:4,bw=200GB/s,lat=300ns+ring:3,bw=50GB/s,lat=1us")};
  for (const NetworkConfig& network : networks) {
    for (const Collective c : {Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce}) {
      for (const auto occupancy : {beta, alpha_beta}) {
        SynthesisRequest request{.collective = c, .bytes = 1'000'000 * network.npus()};
        request.occupancy = occupancy;
        const SynthesisChoice choice{.methods = {SynthesisMethod::trees}, .effort = SynthesisEffort::fast};
        const SynthesizedAlgorithm made = make(network, request, choice);
        EXPECT_EQ(made.method.substr(0, 9), "symmetric") << network.source;
        expect_right(network, request, made, network.source + ", " + std::string(name(c)));
      }
    }
  }
}

// A closed form is optimal: the ring in both directions on a ring, all at once on a switch.
TEST(Synthesized, KnownShapesReachTheBoundWhereTheyAreBest) {
  const NetworkConfig ring = parse_short_network("ring:8,bw=50GB/s,lat=500ns");
  const SynthesisRequest request{.bytes = 8 << 20};
  const SynthesizedAlgorithm on_ring = make(ring, request, {.methods = {SynthesisMethod::builders}});
  EXPECT_EQ(on_ring.method.substr(0, 18), "bidirectional ring");
  EXPECT_EQ(on_ring.total, on_ring.limits.lower);
  const NetworkConfig all = parse_short_network("fully_connected:8,bw=50GB/s,lat=500ns");
  const SynthesizedAlgorithm at_once = make(all, request, {.methods = {SynthesisMethod::builders}});
  EXPECT_EQ(at_once.method.substr(0, 6), "direct");
  EXPECT_EQ(at_once.total, at_once.limits.lower);
}

TEST(Synthesized, FewestTransfersWithinTwoPercent) {
  const NetworkConfig network = parse_short_network("switch:7,bw=50GB/s,lat=100ns");
  const SynthesisRequest request{.bytes = 7 << 20};
  const SynthesizedAlgorithm fast = make(network, request, {});
  const SynthesizedAlgorithm few = make(network, request, {.objective = SynthesisObjective::transfers});
  EXPECT_LT(few.made.schedule.transfers.size(), fast.made.schedule.transfers.size());
  EXPECT_LE(static_cast<double>(few.total), 1.02 * static_cast<double>(fast.total));
  expect_right(network, request, few, "transfers");
}

TEST(Synthesized, WhatIgnoresLatenciesStillHasTrueTimes) {
  const NetworkConfig network = parse_short_network("switch:4,bw=50GB/s,lat=3us");
  for (const Collective c : {Collective::all_gather, Collective::all_reduce, Collective::all_to_all}) {
    const SynthesisRequest request{.collective = c, .bytes = 4 << 20};
    const SynthesizedAlgorithm made = make(network, request, {.objective = SynthesisObjective::bandwidth});
    EXPECT_GE(made.total, make(network, request, {}).total);
    expect_right(network, request, made, std::string(name(c)));
  }
}

TEST(Synthesized, ATimeLimitLeavesOneCandidate) {
  const NetworkConfig network = parse_short_network("switch:8,bw=50GB/s,lat=500ns");
  for (const Collective c :
       {Collective::all_gather, Collective::all_reduce, Collective::all_to_all, Collective::reduce}) {
    const SynthesisRequest request{.collective = c, .bytes = 8 << 20};
    const SynthesizedAlgorithm made = make(network, request, {.until = std::chrono::steady_clock::now()});
    EXPECT_TRUE(made.stopped);
    expect_right(network, request, made, std::string(name(c)));
  }
}

TEST(Synthesized, AvoidedLinksCarryNothing) {
  const NetworkConfig network = parse_short_network("torus:4x4,bw=50GB/s,lat=500ns");
  SynthesisRequest request{.bytes = 16 << 20, .group = std::vector<Rank>{0, 1, 2, 3, 4, 5}, .avoid = {"0-1", "6"}};
  const SynthesizedAlgorithm made = make(network, request, {});
  expect_right(network, request, made, "avoid");
  const Schedule& s = made.made.schedule;
  EXPECT_EQ(s.wires.size(), build_wire_graph(network).wires.size());  // it is for the whole network
  for (std::uint32_t t = 0; t < s.transfers.size(); ++t) {
    const auto [src, dst] = std::pair(s.transfers[t].src, s.transfers[t].dst);
    EXPECT_FALSE(src + dst == 1) << describe(s, s.transfers[t]);
    EXPECT_FALSE(src == 6 || dst == 6) << describe(s, s.transfers[t]);
  }
  request = {.bytes = 16 << 20, .group = std::vector<Rank>{0, 1, 2, 3}, .only = {"0-1", "1-2", "2-3", "0-3"}};
  EXPECT_EQ(make(network, request, {}).limits.lower,
            make(parse_short_network("ring:4,bw=50GB/s,lat=500ns"), {.bytes = 16 << 20}, {}).limits.lower);
  request.only = {"0-1"};
  EXPECT_NE(test::error_text([&] { (void)make(network, request, {}); }, Error::Kind::input)
                .find("there is no route from npu0 to npu2 over the permitted links"),
            std::string::npos);
  request.only = {"0-5"};
  EXPECT_NE(test::error_text([&] { (void)make(network, request, {}); }, Error::Kind::usage)
                .find("--only '0-5': no link from npu0 to npu5"),
            std::string::npos);
}

// Chunks that do not divide a shard evenly differ by one byte.
TEST(Synthesized, SizesNeedNotDivide) {
  const NetworkConfig network = parse_short_network("ring:5,bw=50GB/s,lat=500ns");
  for (const std::uint32_t pieces : {3U, 7U}) {
    for (const Collective c : {Collective::all_gather, Collective::all_reduce}) {
      const SynthesisRequest request{.collective = c, .bytes = 5 * 1001};
      const SynthesizedAlgorithm made = make(network, request, {.pieces = pieces});
      EXPECT_EQ(made.made.schedule.chunks.size(), std::size_t{5} * pieces);
      std::int64_t bytes = 0;
      for (std::uint32_t k = 0; k < pieces; ++k) bytes += *bytes_of(made.made.schedule, k);
      EXPECT_EQ(bytes, 1001);
      expect_right(network, request, made, std::string(name(c)));
    }
  }
}

// Methods whose trees exceed the selected number of chunks make no candidates, and no empty algorithm.
TEST(Synthesized, NeverMorePiecesThanWanted) {
  const NetworkConfig torus = parse_short_network("torus:4x4,bw=50GB/s,lat=500ns");
  const NetworkConfig all = parse_short_network("switch:5,bw=50GB/s,lat=500ns");
  for (const std::uint32_t most : {1U, 2U, 3U, 7U}) {
    for (const Collective c : {Collective::all_gather, Collective::reduce_scatter}) {
      for (const NetworkConfig* network : {&torus, &all}) {
        SynthesisRequest request{.collective = c, .bytes = std::int64_t{network->npus()} << 16U};
        if (network == &torus) request.group = std::vector<Rank>{0, 1, 2, 3};
        const SynthesizedAlgorithm made = make(*network, request, {.most_pieces = most});
        const std::size_t parts = request.group ? 4 : 5;
        EXPECT_LE(made.made.schedule.chunks.size(), parts * most) << made.method;
        EXPECT_GE(made.made.schedule.chunks.size(), parts) << made.method;
        expect_right(*network, request, made, made.method);
      }
    }
  }
}

TEST(SynthesisThreads, AnyNumberMakesTheSame) {
  test::SynthesisDraw draw(5);
  const NetworkConfig network = test::random_network(draw, test::sanitized ? 6 : 9, 2);
  const auto text = [&](unsigned jobs) {
    const SynthesisRequest request{.collective = Collective::all_reduce,
                                   .bytes = std::int64_t{network.graph.npus} << 16U};
    const SynthesizedAlgorithm made = make(network, request, {.jobs = jobs});
    std::string out;
    find_format("ten").write_schedule(made.made.schedule, {}, out);
    return out;
  };
  EXPECT_EQ(text(1), text(1));
  EXPECT_EQ(text(1), text(8));
}

// Links that are faster than a picosecond can express.
TEST(Synthesized, WhatTakesNoTimeKeepsItsOrder) {
  NetworkConfig network{.source = "fast"};
  network.graph.npus = 4;
  for (Device d = 0; d < 4; ++d) {
    test::add_wire(network.graph, d, (d + 1) % 4, 1e6, 0);
    test::add_wire(network.graph, (d + 1) % 4, d, d == 0 ? 0.001 : 1e6, 0);
  }
  for (const Collective c : {Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce,
                             Collective::all_to_all, Collective::scatter, Collective::gather}) {
    for (const auto occupancy : {beta, alpha_beta}) {
      const SynthesisRequest request{.collective = c, .bytes = 64, .occupancy = occupancy};
      expect_right(network, request, make(network, request, {.most_pieces = 8}), std::string(name(c)));
    }
  }
}

TEST(Synthesized, OfOneNpuNothingMoves) {
  const NetworkConfig network = parse_short_network("ring:4,bw=50GB/s");
  for (const Collective c : {Collective::all_gather, Collective::all_reduce, Collective::all_to_all}) {
    const Schedule s = make(network, {.collective = c, .bytes = 8, .group = {{2}}}).made.schedule;
    EXPECT_TRUE(s.transfers.empty());
    ASSERT_EQ(s.chunks.size(), 1U);
    EXPECT_EQ(*bytes_of(s, 0), 8);
  }
}

TEST(Synthesized, WhatCannotBeMadeIsRefused) {
  const NetworkConfig switched = parse_short_network("switch:4,bw=50GB/s,lat=500ns");
  const SynthesisRequest request{.bytes = 4000};
  const auto refusal = [&](const SynthesisChoice& choice, Error::Kind kind) {
    return test::error_text([&] { (void)make(switched, request, choice); }, kind);
  };
  EXPECT_NE(refusal({.methods = {SynthesisMethod::greedy}}, Error::Kind::usage)
                .find("method greedy requires a network without switches"),
            std::string::npos);
  EXPECT_NE(refusal({.pieces = 1U << 23U}, Error::Kind::input).find("choose fewer --chunks"), std::string::npos);
  EXPECT_EQ(refusal({.pieces = 1001}, Error::Kind::usage), ": --chunks 1001: exceeds the 1000 B of a shard");
}

}  // namespace
}  // namespace convert::synthesized_cases
