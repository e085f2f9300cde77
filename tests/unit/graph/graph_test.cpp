// SPDX-License-Identifier: MIT
#include "graph/graph.h"

#include <gtest/gtest.h>

namespace convert {
namespace {

using What = GraphDefect::What;

NodeTable table_of(const std::vector<NodeId>& ids) {
  NodeTable t;
  for (const NodeId id : ids) {
    t.add_node(id, NodeType::comp, "n");
    t.end_node();
  }
  return t;
}

std::vector<std::uint32_t> ends(std::span<const Edge> edges) {
  std::vector<std::uint32_t> out;
  for (const Edge& e : edges) out.push_back(e.node);
  return out;
}

using Indices = std::vector<std::uint32_t>;

TEST(IdIndex, DenseTabledAndSparseIdsAreFound) {
  const IdIndex dense(table_of({0, 1, 2}));
  EXPECT_EQ(dense.find(2), 2U);
  EXPECT_EQ(dense.find(3), IdIndex::none);

  const IdIndex tabled(table_of({7, 3, 5}));
  EXPECT_EQ(tabled.find(7), 0U);
  EXPECT_EQ(tabled.find(5), 2U);
  EXPECT_EQ(tabled.find(4), IdIndex::none);
  EXPECT_EQ(tabled.find(~NodeId{0}), IdIndex::none);

  const IdIndex sparse(table_of({~NodeId{0}, 0, NodeId{1} << 40}));
  EXPECT_EQ(sparse.find(~NodeId{0}), 0U);
  EXPECT_EQ(sparse.find(NodeId{1} << 40), 2U);
  EXPECT_EQ(sparse.find(1), IdIndex::none);
}

TEST(IdIndex, FirstOfEqualIdsWins) {
  EXPECT_EQ(IdIndex(table_of({4, 4, 2})).find(4), 0U);
  EXPECT_EQ(IdIndex(table_of({NodeId{1} << 60, 9, 9})).find(9), 1U);
}

TEST(Graph, EmptyTableGivesEmptyGraph) {
  EXPECT_EQ(Graph{}.size(), 0U);
  const Graph g = build_graph(NodeTable{});
  EXPECT_EQ(g.size(), 0U);
  EXPECT_EQ(g.edges(), 0U);
}

TEST(Graph, RowsGoBothWaysWithKinds) {
  NodeTable t;
  t.add_node(10, NodeType::comp, "a");
  t.end_node();
  t.add_node(11, NodeType::comp, "b");
  t.add_data_dep(12);
  t.add_data_dep(10);
  t.end_node();
  t.add_node(12, NodeType::comp, "c");
  t.add_ctrl_dep(10);
  t.end_node();
  std::vector<GraphDefect> defects;
  const Graph g = build_graph(t, &defects);
  EXPECT_TRUE(defects.empty());
  EXPECT_EQ(g.size(), 3U);
  EXPECT_EQ(g.edges(), 3U);
  EXPECT_EQ(ends(g.parents(1)), (Indices{2, 0}));
  EXPECT_EQ(ends(g.children(0)), (Indices{1, 2}));
  EXPECT_EQ(ends(g.children(2)), Indices{1});
  EXPECT_EQ(g.parents(2)[0].kind, DepKind::control);
  EXPECT_EQ(g.children(0)[0].kind, DepKind::data);
  EXPECT_EQ(g.children(0)[1].kind, DepKind::control);
}

TEST(Graph, DefectsAreReportedAndLeftOut) {
  NodeTable t;
  t.add_node(1, NodeType::comp, "a");
  t.end_node();
  t.add_node(2, NodeType::comp, "b");
  t.add_data_dep(1);
  t.add_data_dep(99);
  t.add_data_dep(2);
  t.add_ctrl_dep(1);
  t.end_node();
  t.add_node(1, NodeType::comp, "again");
  t.end_node();
  std::vector<GraphDefect> d;
  const Graph g = build_graph(t, &d);
  EXPECT_EQ(g.edges(), 1U);
  EXPECT_EQ(ends(g.parents(1)), Indices{0});
  ASSERT_EQ(d.size(), 4U);
  EXPECT_EQ(d[0].what, What::dangling);
  EXPECT_EQ(d[0].id, 99U);
  EXPECT_EQ(d[0].index, 1U);
  EXPECT_EQ(d[1].what, What::self);
  EXPECT_EQ(d[2].what, What::duplicate_edge);
  EXPECT_EQ(d[2].kind, DepKind::control);
  EXPECT_EQ(d[3].what, What::duplicate_id);
  EXPECT_EQ(d[3].index, 2U);
}

TEST(Graph, ManyDependenciesOfOneNode) {
  NodeTable t;
  constexpr NodeId count = 1000;
  for (NodeId i = 0; i < count; ++i) {
    t.add_node(i, NodeType::comp, "leaf");
    t.end_node();
  }
  t.add_node(count, NodeType::comp, "join");
  for (NodeId i = count; i-- > 0;) t.add_data_dep(i);
  for (NodeId i = 0; i < 5; ++i) t.add_data_dep(i);
  t.end_node();
  std::vector<GraphDefect> defects;
  const Graph g = build_graph(t, &defects);
  EXPECT_EQ(g.parents(count).size(), count);
  EXPECT_EQ(g.parents(count)[0].node, count - 1);
  EXPECT_EQ(defects.size(), 5U);
}

TEST(Graph, ManyEdges) {
  NodeTable t;
  constexpr NodeId nodes = 1'000'000;
  for (NodeId i = 0; i < nodes; ++i) {
    t.add_node(i, NodeType::comp, "");
    for (NodeId back = 1; back <= 4 && back <= i; ++back) t.add_data_dep(i - back);
    t.end_node();
  }
  const Graph g = build_graph(t);
  EXPECT_EQ(g.edges(), 4 * nodes - 10);
}

}  // namespace
}  // namespace convert
