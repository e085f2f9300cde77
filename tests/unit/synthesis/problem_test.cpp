// SPDX-License-Identifier: MIT
#include "synthesis/problem.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/expect_error.h"
#include "unit/synthesis/random_graphs.h"

namespace {

using namespace convert;

SynthesisProblem made(const std::string& network, const SynthesisRequest& request) {
  Diagnostics diagnostics;
  return make_problem(parse_short_network(network), request, diagnostics);
}

std::string refusal(const std::string& network, const SynthesisRequest& request, Error::Kind kind) {
  return test::error_message([&] { (void)made(network, request); }, kind);
}

TEST(SynthesisProblemTest, HasIntegerBandwidthsInTheirLargestUnit) {
  const auto p = made("ring:4,bw=50GB/s,lat=500ns+ring:2,bw=75GB/s,lat=1us", {.bytes = 800});
  EXPECT_EQ(p.graph.unit, 25'000'000'000);
  EXPECT_EQ(p.graph.npus, 8U);
  EXPECT_EQ(p.graph.links.size(), 16U + 8U);
  EXPECT_EQ(p.graph.links.front().bandwidth, 2);
  EXPECT_EQ(p.graph.links.back().bandwidth, 3);
  EXPECT_EQ(p.graph.links.back().latency_ps, 1'000'000);
  EXPECT_EQ(p.shard_bytes, 100);
  EXPECT_EQ(bandwidth_in(p.graph, 3), 7);
  for (std::uint32_t l = 0; l < p.graph.links.size(); ++l) {
    EXPECT_TRUE(std::ranges::count(p.graph.out[p.graph.links[l].from], l) == 1);
    EXPECT_TRUE(std::ranges::count(p.graph.in[p.graph.links[l].to], l) == 1);
  }
  // Rates that are not integers in binary: 43.478 GB/s, and GiB/s.
  EXPECT_EQ(made("ring:4,bw=43.478GB/s", {.bytes = 4}).graph.unit, 43'478'000'000);
  EXPECT_EQ(made("ring:4,bw=46.5GiB/s", {.bytes = 4}).graph.unit, 49'928'994'816);
}

TEST(SynthesisProblemTest, ReversedLinksKeepTheirIndices) {
  const auto p = made("mesh:3x2,bw=50GB/s", {.bytes = 6});
  const LinkGraph back = reversed(p.graph);
  for (std::uint32_t l = 0; l < p.graph.links.size(); ++l) {
    EXPECT_EQ(back.links[l].from, p.graph.links[l].to);
    EXPECT_TRUE(std::ranges::count(back.out[p.graph.links[l].to], l) == 1);
  }
}

TEST(SynthesisProblemTest, RoundsTheSizeUpToWholeShards) {
  Diagnostics diagnostics;
  const auto ring = parse_short_network("ring:8,bw=50GB/s");
  const auto p = make_problem(ring, {.bytes = 1001}, diagnostics);
  EXPECT_EQ(p.shard_bytes, 126);
  EXPECT_EQ(p.bytes, 1008);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(diagnostics.all().front().message, "size 1001 is not a multiple of the 8 NPUs; rounded up to 1008");
  const auto whole = make_problem(ring, {.collective = Collective::broadcast, .bytes = 1001}, diagnostics);
  EXPECT_EQ(whole.shard_bytes, 1001);
  EXPECT_EQ(diagnostics.all().size(), 1U);
}

TEST(SynthesisProblemTest, LeavesOutWhatPassesNothingOn) {
  const std::vector<Rank> row = {0, 1, 2, 3};
  const auto on = made("torus:4x4,bw=50GB/s", {.bytes = 4, .group = row});
  EXPECT_EQ(on.graph.links.size(), 64U);
  EXPECT_EQ(on.participants.size(), 4U);
  const auto off = made("torus:4x4,bw=50GB/s", {.bytes = 4, .group = row, .group_only = true});
  EXPECT_EQ(off.graph.links.size(), 8U);
  EXPECT_EQ(off.graph.devices, 16U);
  EXPECT_EQ(
      refusal("torus:4x4,bw=50GB/s", {.bytes = 2, .group = {{0, 10}}, .group_only = true}, Error::Kind::input),
      "there is no route from npu0 to npu10 through participating NPUs");
}

TEST(SynthesisProblemTest, NamesThePairWithoutAWay) {
  const std::string line = "mesh:4,bw=50GB/s";
  EXPECT_EQ(refusal(line, {.bytes = 4, .failed = {"1-2"}}, Error::Kind::input),
            "there is no route from npu0 to npu2");
  EXPECT_EQ(refusal(line, {.bytes = 4, .failed = {"2>1"}}, Error::Kind::input),
            "there is no route from npu2 to npu0");
  EXPECT_EQ(refusal(line, {.collective = Collective::gather, .bytes = 4, .root = 3, .failed = {"1>2"}},
                    Error::Kind::input),
            "there is no route from npu0 to npu3");
  // Devices that do not take part, or need not be reached, may be disconnected.
  EXPECT_EQ(refusal(line, {.bytes = 2, .group = {{0, 1}}, .failed = {"1-2"}}, Error::Kind::input), "");
  EXPECT_EQ(refusal(line, {.collective = Collective::broadcast, .bytes = 4, .failed = {"2>1"}}, Error::Kind::input),
            "");
}

TEST(SynthesisProblemTest, RefusesWhatIsNotThere) {
  const std::string ring = "ring:4,bw=50GB/s";
  EXPECT_EQ(refusal("ideal", {.bytes = 4}, Error::Kind::usage),
            "the network is ideal and has no links; give a network with links");
  EXPECT_EQ(refusal(ring, {.bytes = 4, .group = {{1, 4}}}, Error::Kind::usage),
            "the group contains NPU 4; the network has 4 NPUs");
  EXPECT_EQ(refusal(ring, {.collective = Collective::broadcast, .bytes = 4, .group = {{1, 2}}, .root = 0},
                    Error::Kind::usage),
            "the root, NPU 0, does not take part");
  EXPECT_EQ(refusal(ring, {.bytes = 4, .failed = {"0-2"}}, Error::Kind::usage),
            "failed link '0-2': no link from npu0 to npu2");
  EXPECT_EQ(refusal(ring, {.bytes = INT64_MAX}, Error::Kind::usage), "the size is too large for 4 NPUs");
}

TEST(SynthesisProblemTest, RefusesBandwidthsThatAreNoIntegers) {
  const auto refused = [](double bytes_per_ns) {
    NetworkConfig network{.source = "two.yml"};
    network.graph.npus = 2;
    test::add_wire(network.graph, 0, 1, bytes_per_ns);
    test::add_wire(network.graph, 1, 0, 50);
    return test::error_text([&] { (void)test::problem_of(network, Collective::all_gather); }, Error::Kind::input);
  };
  EXPECT_EQ(refused(1e-10),
            "two.yml: the link from npu0 to npu1 is slower than the minimum of 1 byte per second; rates are in "
            "whole bytes per second");
  // Rounded, these would take less time than the exact rates.
  EXPECT_EQ(
      refused(1.5e-9),
      "two.yml: the link from npu0 to npu1 has 1.5 bytes per second; rates below 1 MB/s must be whole bytes per "
      "second");
  EXPECT_EQ(refused(12345.678e-9),
            "two.yml: the link from npu0 to npu1 has 12345.678 bytes per second; rates below 1 MB/s must be whole "
            "bytes per second");
  EXPECT_EQ(refused(1e10),
            "two.yml: the link from npu0 to npu1 makes the sum of all rates too large for whole bytes per "
            "second");
  EXPECT_EQ(refused(1e-9), "");
}

}  // namespace
