// SPDX-License-Identifier: MIT
#include "synthesis/exact/scaling.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "synthesis/bounds/cuts.h"
#include "unit/synthesis/random_graphs.h"

namespace {

using namespace convert;

TreeDemand demand_of(const SynthesisProblem& problem, std::int64_t trees) {
  return {.participants = problem.participants, .roots = problem.participants, .trees = trees};
}

Fraction bound_of(const SynthesisProblem& problem) {
  const Fraction r = worst_gather_cut(problem.graph, problem.participants).cut.ratio();
  return reduced(static_cast<WideUnsigned>(r.numerator), static_cast<WideUnsigned>(r.denominator));
}

TEST(TreeScaleTest, IsThatOfTheBoundWhereTreesAreWhole) {
  const auto problem = test::problem_of(parse_short_network("torus:4x4,bw=50GB/s"), Collective::all_gather);
  EXPECT_EQ(bound_of(problem), (Fraction{15, 4}));
  EXPECT_EQ(exact_tree_count(problem.graph, bound_of(problem)), 4);
  const auto scale = scale_trees(problem.graph, demand_of(problem, 4), bound_of(problem));
  ASSERT_TRUE(scale);
  EXPECT_EQ(scale->per_bandwidth, (Fraction{15, 1}));
  EXPECT_EQ(scale->capacities, std::vector<std::int64_t>(64, 15));
}

TEST(TreeScaleTest, IsTheLeastWithWhichSoManyTreesExist) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    test::SynthesisDraw draw(seed);
    const auto problem = test::problem_of(test::random_network(draw, 7, 2), Collective::all_gather);
    const Fraction bound = bound_of(problem);
    for (const std::int64_t trees : {1, 2, 5}) {
      const TreeDemand demand = demand_of(problem, trees);
      const auto scale = scale_trees(problem.graph, demand, bound);
      ASSERT_TRUE(scale);
      std::vector<MaxFlow::Arc> arcs;
      for (const LinkGraph::Link& l : problem.graph.links) arcs.push_back({l.from, l.to});
      RootFlows flows(problem.graph.devices, demand, arcs);
      for (std::uint32_t l = 0; l < arcs.size(); ++l) flows.set_capacity(l, scale->capacities[l]);
      EXPECT_EQ(flows.most_missing(1), 0);
      // A slightly lower rate is too low, or less than the bound.
      const double rate = scale->per_bandwidth.value() * (1 - 1e-9);
      if (rate < bound.value() * static_cast<double>(trees)) continue;
      for (std::uint32_t l = 0; l < arcs.size(); ++l)
        flows.set_capacity(l,
                           static_cast<std::int64_t>(rate * static_cast<double>(problem.graph.links[l].bandwidth)));
      EXPECT_GT(flows.most_missing(1), 0);
    }
  }
}

}  // namespace
