// SPDX-License-Identifier: MIT
#include "graph/algorithms.h"

#include <gtest/gtest.h>

#include "sanitized.h"

namespace convert {
namespace {

using Indices = std::vector<std::uint32_t>;

// Node i depends on parents[i].
Graph graph_of(const std::vector<std::vector<NodeId>>& parents) {
  NodeTable t;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    t.add_node(i, NodeType::comp, "");
    for (const NodeId p : parents[i]) t.add_data_dep(p);
    t.end_node();
  }
  return build_graph(t);
}

Graph chain(std::size_t length, bool closed) {
  NodeTable t;
  t.nodes.reserve(length);
  for (std::size_t i = 0; i < length; ++i) {
    t.add_node(i, NodeType::comp, "");
    if (i > 0 || closed) t.add_data_dep((i + length - 1) % length);
    t.end_node();
  }
  return build_graph(t);
}

TEST(TopologicalOrder, LowestReadyIndexFirst) {
  EXPECT_EQ(topological_order(graph_of({{3}, {}, {1}, {}})), (Indices{1, 2, 3, 0}));
  EXPECT_TRUE(topological_order(Graph{}).empty());
}

TEST(TopologicalOrder, LowestFirstAcrossManyWords) {
  std::vector<std::vector<NodeId>> parents(5000);
  parents[0] = {4999};
  parents[70] = {4500};
  const Indices order = topological_order(graph_of(parents));
  ASSERT_EQ(order.size(), 5000U);
  EXPECT_EQ(order.front(), 1U);
  EXPECT_EQ(order[69], 71U);
  EXPECT_EQ(order.back(), 0U);
  EXPECT_EQ(order[order.size() - 2], 4999U);
}

TEST(TopologicalOrder, ShorterWithACycle) {
  EXPECT_EQ(topological_order(graph_of({{}, {2}, {1}, {0}, {1}})), (Indices{0, 3}));
}

TEST(FindCycle, ShortestThroughTheLowestNode) {
  EXPECT_TRUE(find_cycles(graph_of({{}, {0}, {0, 1}})).empty());
  EXPECT_TRUE(find_cycles(Graph{}).empty());
  // 1 → 2 → 3 → 4 → 1 and the short cut 2 → 4; 5 ⇄ 6 is a shorter cycle, but with higher nodes.
  EXPECT_EQ(find_cycles(graph_of({{}, {4}, {1}, {2}, {3, 2}, {6}, {5}})).front(), (Indices{1, 2, 4}));
}

TEST(FindCycles, OnePerComponent) {
  EXPECT_EQ(find_cycles(graph_of({{}, {4}, {1}, {2}, {3, 2}, {6}, {5, 1}})),
            (std::vector<Indices>{{1, 2, 4}, {5, 6}}));
}

TEST(StrongComponents, SeparatesCycles) {
  std::uint32_t count = 0;
  const Indices c = strong_components(graph_of({{1}, {0}, {1}, {4}, {3, 2}}), count);
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(c[0], c[1]);
  EXPECT_EQ(c[3], c[4]);
  EXPECT_NE(c[0], c[2]);
  EXPECT_NE(c[2], c[3]);
  EXPECT_NE(c[0], c[3]);
}

TEST(DeepGraphs, AMillionNodesNeedNoStack) {
  constexpr std::size_t length = test::rounds(1'000'000U);
  const Graph line = chain(length, false);
  EXPECT_EQ(topological_order(line).size(), length);
  EXPECT_TRUE(find_cycles(line).empty());
  EXPECT_EQ(find_cycles(chain(length, true)).front().size(), length);
}

}  // namespace
}  // namespace convert
