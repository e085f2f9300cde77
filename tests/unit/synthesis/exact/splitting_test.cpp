// SPDX-License-Identifier: MIT
#include "synthesis/exact/splitting.h"

#include <gtest/gtest.h>

#include <set>

#include "unit/synthesis/random_graphs.h"

namespace {

using namespace convert;

std::vector<std::int64_t> bandwidths(const LinkGraph& graph, std::int64_t times) {
  std::vector<std::int64_t> out;
  for (const LinkGraph::Link& l : graph.links) out.push_back(l.bandwidth * times);
  return out;
}

// One round distributes the links of a switch evenly among all pairs.
TEST(SplittingTest, SpreadsASwitchOverAllPairs) {
  const auto problem = test::problem_of(parse_short_network("switch:6,bw=50GB/s"), Collective::all_gather);
  const TreeDemand demand{.participants = problem.participants, .roots = problem.participants, .trees = 1};
  const auto edges = split_off_others(problem.graph, demand, bandwidths(problem.graph, 5), {});
  ASSERT_EQ(edges.size(), 30U);
  for (const DirectEdge& e : edges) {
    EXPECT_EQ(e.capacity(), 1);
    ASSERT_EQ(e.ways.size(), 1U);
    EXPECT_EQ(e.ways[0].links.size(), 2U);
  }
}

TEST(SplittingTest, KeepsFlowsAndCapacitiesOfGroups) {
  const auto problem = test::problem_of(parse_short_network("torus:4x4,bw=50GB/s"), Collective::all_gather, 1024,
                                        std::vector<Rank>{0, 1, 5, 10, 11});
  const TreeDemand demand{.participants = problem.participants, .roots = problem.participants, .trees = 4};
  const std::vector<std::int64_t> capacities = bandwidths(problem.graph, 5);
  for (const bool prune : {true, false}) {
    for (const bool far_first : {true, false}) {
      const auto edges =
          split_off_others(problem.graph, demand, capacities, {.prune = prune, .far_first = far_first});
      std::vector<std::int64_t> used(capacities.size(), 0);
      std::vector<MaxFlow::Arc> arcs;
      for (const DirectEdge& e : edges) {
        arcs.push_back({e.from, e.to});
        EXPECT_NE(problem.takes_part[e.from], 0);
        EXPECT_NE(problem.takes_part[e.to], 0);
        for (const WayBundle& w : e.ways) {
          std::set<Device> passed = {e.from};
          Device at = e.from;
          for (const std::uint32_t l : w.links) {
            EXPECT_EQ(problem.graph.links[l].from, at);
            at = problem.graph.links[l].to;
            EXPECT_TRUE(passed.insert(at).second);
            used[l] += w.count;
          }
          EXPECT_EQ(at, e.to);
        }
      }
      for (std::uint32_t l = 0; l < used.size(); ++l) EXPECT_LE(used[l], capacities[l]);
      RootFlows flows(problem.graph.devices, demand, arcs);
      for (std::uint32_t a = 0; a < arcs.size(); ++a) flows.set_capacity(a, edges[a].capacity());
      EXPECT_EQ(flows.most_missing(1), 0);
    }
  }
}

TEST(SplittingTest, FindsDevicesThatKeepSomething) {
  auto problem = test::problem_of(parse_short_network("switch:3,bw=50GB/s"), Collective::all_gather);
  std::vector<std::int64_t> capacities = bandwidths(problem.graph, 1);
  EXPECT_FALSE(uneven_device(problem.graph, problem.participants, capacities));
  capacities[0] = 2;
  EXPECT_EQ(uneven_device(problem.graph, problem.participants, capacities), Device{3});
}

}  // namespace
