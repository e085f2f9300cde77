// SPDX-License-Identifier: MIT
#include "synthesis/together/joint_bounds.h"

#include <gtest/gtest.h>

#include "config/network/network.h"
#include "unit/synthesis/random_graphs.h"

namespace convert::joint_bounds_cases {
namespace {

JointProblem joint(const NetworkConfig& network, const std::vector<SynthesisRequest>& requests) {
  std::vector<SynthesisProblem> problems;
  Diagnostics ignored;
  for (const SynthesisRequest& r : requests) problems.push_back(make_problem(network, r, ignored));
  return make_joint_problem(std::move(problems));
}

TEST(JointBounds, CutsCarryWhatAllCollectivesSend) {
  // Two all-gathers of a ring bring the first NPU 3 shards of 1 MB each, over two links of 50 GB/s.
  const NetworkConfig ring = parse_short_network("ring:4,bw=50GB/s,lat=0ns");
  const SynthesisRequest one{.collective = Collective::all_gather, .bytes = 4'000'000};
  EXPECT_EQ(find_joint_bounds(joint(ring, {one})).lower, 30'000'000);
  EXPECT_EQ(find_joint_bounds(joint(ring, {one, one})).lower, 60'000'000);
}

TEST(JointBounds, OppositeDirectionsDoNotAddUp) {
  // A line: data to its end and data from it use different links.
  NetworkConfig line{.source = "line"};
  line.graph.npus = 3;
  for (Device d = 0; d < 2; ++d) {
    test::add_wire(line.graph, d, d + 1, 10, 0);
    test::add_wire(line.graph, d + 1, d, 10, 0);
  }
  const SynthesisRequest there{.collective = Collective::broadcast, .bytes = 1'000'000, .root = 0};
  const SynthesisRequest back{.collective = Collective::broadcast, .bytes = 1'000'000, .root = 2};
  const JointBounds apart = find_joint_bounds(joint(line, {there, back}));
  EXPECT_EQ(apart.lower, 100'000'000);
  EXPECT_EQ(find_joint_bounds(joint(line, {there, there})).lower, 200'000'000);
  const JointBounds both = find_joint_bounds(joint(line, {there, there}));
  EXPECT_EQ(both.cut.bytes, 2'000'000);
  EXPECT_EQ(both.cut.bandwidth * joint(line, {there}).graph().unit, 10'000'000'000);
}

TEST(JointBounds, MoreCollectivesNeverTakeLess) {
  test::SynthesisDraw draw(8);
  const std::vector<Collective> kinds = {Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce,
                                         Collective::all_to_all, Collective::broadcast,      Collective::gather};
  for (int round = 0; round < 40; ++round) {
    const NetworkConfig network = test::random_network(draw, 8, 2);
    std::vector<SynthesisRequest> requests;
    Picoseconds before = 0;
    for (int k = 0; k < 3; ++k) {
      requests.push_back({.collective = draw.of(kinds),
                          .bytes = 100'000 + draw.below(1'000'000),
                          .group = test::random_group(draw, network.graph.npus)});
      const JointBounds bounds = find_joint_bounds(joint(network, requests));
      for (const Bounds& own : bounds.each) EXPECT_GE(bounds.lower, own.lower);
      EXPECT_GE(bounds.lower, before);
      before = bounds.lower;
    }
  }
}

TEST(JointBounds, TextAndDocumentNameTheCut) {
  const NetworkConfig ring = parse_short_network("ring:4,bw=50GB/s,lat=500ns");
  const SynthesisRequest one{.collective = Collective::all_gather, .bytes = 4'000'000};
  const JointProblem problem = joint(ring, {one, one});
  const JointBounds bounds = find_joint_bounds(problem);
  const std::string text = joint_bounds_text(problem, bounds);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "2 collectives at once: 60.5 µs at least (all together 60.5 µs: 5.722 MiB into NPU 0)");
  EXPECT_NE(joint_bounds_json(problem, bounds).find(R"("bytes":6000000,"bytes_per_s":100000000000)"),
            std::string::npos);
}

}  // namespace
}  // namespace convert::joint_bounds_cases
