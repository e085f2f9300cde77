// SPDX-License-Identifier: MIT
#include "passes/excerpt.h"

#include <gtest/gtest.h>

#include "common/error_text.h"

namespace convert {
namespace {

// Ranks 3 and 7: chains of n nodes; node 2 of rank 3 sends to node 4 of rank 7.
std::vector<Trace> two_chains(NodeId n) {
  std::vector<Trace> set(2);
  for (std::size_t k = 0; k < 2; ++k) {
    set[k].rank = k == 0 ? 3 : 7;
    set[k].name = "c." + std::to_string(set[k].rank) + ".et";
    NodeTable& t = set[k].nodes;
    for (NodeId i = 0; i < n; ++i) {
      const bool sends = k == 0 && i == 2, receives = k == 1 && i == 4;
      t.add_node(i, sends ? NodeType::comm_send : receives ? NodeType::comm_recv : NodeType::comp, "c");
      if (i > 0) t.add_data_dep(i - 1);
      if (sends) t.add_int(attr::comm_dst, Kind::int32_val, 7);
      if (receives) t.add_int(attr::comm_src, Kind::int32_val, 3);
      if (sends || receives) t.add_int(attr::comm_tag, Kind::int32_val, 1);
      t.end_node();
    }
  }
  return set;
}

std::vector<NodeId> ids(const Trace& t) {
  std::vector<NodeId> out;
  for (const Node& n : t.nodes.nodes) out.push_back(n.id);
  return out;
}

TEST(Excerpt, KeepsARangeOfIdsAndDropsDependenciesOnOthers) {
  auto set = two_chains(8);
  const ExcerptCounts counts = take_excerpt(set, {.nodes = std::pair<NodeId, NodeId>(5, 6)});
  ASSERT_EQ(set.size(), 2U);
  EXPECT_EQ(ids(set[0]), (std::vector<NodeId>{5, 6}));
  EXPECT_TRUE(set[0].nodes.data_deps(set[0].nodes.nodes[0]).empty());
  EXPECT_EQ(set[0].nodes.data_deps(set[0].nodes.nodes[1])[0], 5U);
  EXPECT_EQ(counts.nodes, 12U);
  EXPECT_EQ(counts.cut_deps, 2U);
}

TEST(Excerpt, DependenciesOnMissingNodesStay) {
  std::vector<Trace> set(1);
  set[0].nodes.add_node(5, NodeType::comp, "c");
  set[0].nodes.add_data_dep(99);
  set[0].nodes.end_node();
  EXPECT_EQ(take_excerpt(set, {.nodes = std::pair<NodeId, NodeId>(5, 5)}).cut_deps, 0U);
  EXPECT_EQ(set[0].nodes.data_deps(set[0].nodes.nodes[0])[0], 99U);
}

TEST(Excerpt, HopsGoBothWaysAndAlongMessages) {
  auto set = two_chains(8);
  (void)take_excerpt(set, {.around = NearNode{.rank = 3, .node = 2, .hops = 2}});
  ASSERT_EQ(set.size(), 2U);
  EXPECT_EQ(ids(set[0]), (std::vector<NodeId>{0, 1, 2, 3, 4}));
  EXPECT_EQ(ids(set[1]), (std::vector<NodeId>{3, 4, 5}));
}

TEST(Excerpt, RanksWithoutAnythingAreLeftOut) {
  auto set = two_chains(8);
  (void)take_excerpt(set, {.around = NearNode{.rank = 7, .node = 7, .hops = 1}});
  ASSERT_EQ(set.size(), 1U);
  EXPECT_EQ(set[0].rank, 7U);
  EXPECT_EQ(ids(set[0]), (std::vector<NodeId>{6, 7}));
}

std::string excerpt_error(const ExcerptOptions& options) {
  auto set = two_chains(8);
  return test::error_message([&] { (void)take_excerpt(set, options); });
}

TEST(Excerpt, SaysWhatIsMissing) {
  EXPECT_EQ(excerpt_error({.around = NearNode{.node = 2}}),
            "--around 2: the set has several ranks; give the rank, such as 3:2");
  EXPECT_EQ(excerpt_error({.around = NearNode{.rank = 4, .node = 2}}), "--around 4:2: the rank is not drawn");
  EXPECT_EQ(excerpt_error({.around = NearNode{.rank = 3, .node = 20}}),
            "--around 3:20: c.3.et has no node with that id");
  EXPECT_EQ(excerpt_error({.nodes = std::pair<NodeId, NodeId>(50, 60)}), "none of 16 nodes is selected");
}

}  // namespace
}  // namespace convert
