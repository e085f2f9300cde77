// SPDX-License-Identifier: MIT
#include "synthesis/trees/closed_forms.h"

#include <gtest/gtest.h>

#include "unit/synthesis/random_graphs.h"

namespace {

using namespace convert;

SynthesisProblem broadcast_without(const std::vector<std::string>& failed) {
  Diagnostics diagnostics;
  return make_problem(parse_short_network("ring:4,bw=50GB/s,lat=500ns"),
                      {.collective = Collective::broadcast, .bytes = 1 << 20, .root = Rank{1}, .failed = failed},
                      diagnostics);
}

// Returns whether a tree reaches each participant.
bool reaches_all(const SynthesisProblem& problem, const TreePacking::Tree& tree) {
  std::vector<std::uint8_t> has(problem.graph.devices);
  has[tree.root] = 1;
  for (const TreeArc& arc : tree.arcs) {
    if (has[arc.from] == 0) return false;
    has[arc.to] = 1;
  }
  return std::ranges::all_of(problem.participants, [&](Device d) { return has[d] != 0; });
}

// The root reaches all, but the tour by nearness, which begins at NPU 0, does not reach the root.
TEST(ClosedForms, AreNotLaidWhereNoWayLeadsOn) {
  const SynthesisProblem problem = broadcast_without({"0>1", "2>1"});
  const std::vector<Device> roots = {1};
  for (const ClosedForm& form : rooted_closed_forms(problem.size())) {
    SCOPED_TRACE(name(form));
    const std::optional<TreePacking> packing = closed_trees(problem, roots, 1, form);
    EXPECT_EQ(packing.has_value(), !form.tour);
    for (std::size_t t = 0; packing && t < packing->trees.size(); ++t)
      EXPECT_TRUE(reaches_all(problem, packing->trees[t]));
  }
}

// For any missing links: a form reaches all, or is not mapped.
TEST(ClosedForms, ReachAllOrAreNotLaid) {
  test::SynthesisDraw draw(5);
  int laid = 0, refused = 0;
  for (int round = 0; round < 300; ++round) {
    NetworkConfig network = test::random_network(draw, 8, 1);
    std::erase_if(network.graph.wires, [&](const GraphWire&) { return draw.below(4) == 0; });
    const Rank root = draw.below(network.graph.npus);
    SynthesisProblem problem;
    try {
      problem = test::problem_of(network, Collective::broadcast, 1 << 20, std::nullopt, root);
    } catch (const Error&) {
      continue;  // the root does not reach all
    }
    const std::vector<Device> roots = {root};
    for (const ClosedForm& form : rooted_closed_forms(problem.size())) {
      const std::optional<TreePacking> packing = closed_trees(problem, roots, 1, form);
      ++(packing ? laid : refused);
      for (std::size_t t = 0; packing && t < packing->trees.size(); ++t)
        EXPECT_TRUE(reaches_all(problem, packing->trees[t])) << name(form) << ", round " << round;
    }
  }
  EXPECT_GT(laid, 100);
  EXPECT_GT(refused, 20);
}

}  // namespace
