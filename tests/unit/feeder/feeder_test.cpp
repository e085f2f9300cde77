// SPDX-License-Identifier: MIT
#include "feeder/feeder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <vector>

namespace convert {
namespace {

struct N {
  NodeId id;
  std::vector<NodeId> parents;
};

NodeTable table_of(std::initializer_list<N> nodes) {
  NodeTable table;
  for (const N& n : nodes) {
    table.add_node(n.id, NodeType::comp, "n");
    for (const NodeId p : n.parents) table.add_data_dep(p);
    table.end_node();
  }
  return table;
}

std::vector<std::uint32_t> take_all(Feeder& feeder) {
  std::vector<std::uint32_t> taken;
  feeder.issue([&](std::uint32_t node) {
    taken.push_back(node);
    return true;
  });
  return taken;
}

using V = std::vector<std::uint32_t>;

TEST(Feeder, OffersFreeNodesByAscendingId) {
  const NodeTable table = table_of({{30, {10}}, {20, {}}, {10, {}}, {40, {10, 20}}});
  Feeder feeder(table, build_graph(table));
  ASSERT_EQ(feeder.size(), 4U);
  EXPECT_EQ(feeder.index_of(0), 2U);  // id 10
  EXPECT_EQ(feeder.index_of(3), 3U);  // id 40
  EXPECT_EQ(feeder.free_nodes(), 2U);
  EXPECT_EQ(take_all(feeder), (V{0, 1}));
  EXPECT_EQ(feeder.in_flight(), 2U);
  EXPECT_EQ(take_all(feeder), V{});
  feeder.complete(1);
  EXPECT_EQ(take_all(feeder), V{});
  EXPECT_EQ(feeder.waits_for(3), 1U);
  feeder.complete(0);
  EXPECT_EQ(take_all(feeder), (V{2, 3}));
  feeder.complete(2);
  feeder.complete(3);
  EXPECT_TRUE(feeder.done());
  EXPECT_EQ(feeder.completed(), 4U);
}

TEST(Feeder, SortsNodesFreedByDifferentCompletions) {
  const NodeTable table = table_of({{0, {}}, {1, {}}, {2, {1}}, {3, {0}}, {4, {1}}});
  Feeder feeder(table, build_graph(table));
  take_all(feeder);
  feeder.complete(0);
  feeder.complete(1);
  EXPECT_EQ(take_all(feeder), (V{2, 3, 4}));
}

TEST(Feeder, RoundIsASnapshot) {
  const NodeTable table = table_of({{0, {}}, {1, {0}}, {2, {}}});
  Feeder feeder(table, build_graph(table));
  V offered;
  feeder.issue([&](std::uint32_t node) {
    offered.push_back(node);
    if (node == 0) feeder.complete(0);
    return true;
  });
  EXPECT_EQ(offered, (V{0, 2}));
  EXPECT_EQ(take_all(feeder), V{1});
}

TEST(Feeder, RefusedNodesStayFreeAndKeepTheirOrder) {
  const NodeTable table = table_of({{0, {}}, {1, {}}, {2, {}}, {3, {}}, {4, {0}}, {5, {0}}});
  const std::vector<std::uint8_t> lanes = {0, 1, 1, 0, 1, 0};
  Feeder feeder(table, build_graph(table), lanes);
  std::vector<bool> busy(2);
  V offered;
  const auto one_per_lane = [&](std::uint32_t node) {
    offered.push_back(node);
    if (busy[lanes[node]]) return false;
    busy[lanes[node]] = true;
    return true;
  };
  feeder.issue(one_per_lane);
  EXPECT_EQ(offered, (V{0, 1, 2, 3}));  // 2 and 3 are refused
  EXPECT_EQ(feeder.in_flight(), 2U);
  EXPECT_EQ(feeder.free_nodes(), 2U);
  offered.clear();
  feeder.complete(0);
  busy[0] = false;
  feeder.issue(one_per_lane);  // lane 1 is refused at its lowest node; 3 is issued, 5 is refused
  EXPECT_EQ(offered, (V{2, 3, 5}));
  offered.clear();
  feeder.complete(1);
  busy[1] = false;
  feeder.issue(one_per_lane);
  EXPECT_EQ(offered, (V{2, 4, 5}));
  EXPECT_EQ(feeder.free_nodes(), 2U);
}

TEST(Feeder, ManyBlockedNodesCostOneOfferPerRound) {
  NodeTable table;
  constexpr std::uint32_t n = 20'000;
  for (std::uint32_t i = 0; i < n; ++i) {
    table.add_node(i, NodeType::comp, "n");
    table.end_node();
  }
  Feeder feeder(table, build_graph(table));
  std::uint64_t offers = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    bool busy = false;
    std::uint32_t taken = n;
    feeder.issue([&](std::uint32_t node) {
      ++offers;
      if (busy) return false;
      busy = true;
      taken = node;
      return true;
    });
    ASSERT_EQ(taken, i);
    feeder.complete(taken);
  }
  EXPECT_TRUE(feeder.done());
  EXPECT_LT(offers, 3ULL * n);
}

TEST(Feeder, ResetBeginsAgain) {
  const NodeTable table = table_of({{0, {}}, {1, {0}}});
  Feeder feeder(table, build_graph(table));
  take_all(feeder);
  feeder.complete(0);
  feeder.reset();
  EXPECT_EQ(feeder.completed(), 0U);
  EXPECT_EQ(take_all(feeder), V{0});
}

TEST(Feeder, CompletesNodesWithAnyNumberOfChildren) {
  // By id: 0 → none, 1 → 9, 2 → 8 and 9, 3 → 7, 8 and 9; the table lists them in another order.
  const NodeTable table = table_of({{9, {1, 2, 3}}, {3, {}}, {8, {3, 2}}, {2, {}}, {7, {3}}, {1, {}}, {0, {}}});
  Feeder feeder(table, build_graph(table));
  const auto children = [&](std::uint32_t node) {
    return V(feeder.children(node).begin(), feeder.children(node).end());
  };
  EXPECT_EQ(children(0), V{});
  EXPECT_EQ(children(1), V{6});
  EXPECT_EQ(children(2), (V{5, 6}));
  EXPECT_EQ(children(3), (V{4, 5, 6}));
  EXPECT_EQ(take_all(feeder), (V{0, 1, 2, 3}));
  feeder.complete_leaf();  // 0
  feeder.complete(3);
  EXPECT_EQ(take_all(feeder), V{4});
  feeder.complete_before(6);  // 1
  EXPECT_EQ(feeder.waits_for(6), 1U);
  feeder.complete(2);
  EXPECT_EQ(take_all(feeder), (V{5, 6}));
  EXPECT_EQ(feeder.completed(), 4U);
  for (const std::uint32_t node : {4U, 5U, 6U}) feeder.complete(node);
  EXPECT_TRUE(feeder.done());
}

TEST(Feeder, CompletesTwoChildrenSideBySide) {
  const NodeTable table = table_of({{0, {}}, {1, {0}}, {2, {0}}});
  Feeder feeder(table, build_graph(table));
  EXPECT_EQ(take_all(feeder), V{0});
  feeder.complete_before(1, true);
  EXPECT_EQ(take_all(feeder), (V{1, 2}));
}

TEST(Feeder, CountsInMemoryOfTheCaller) {
  NodeTable table;  // a chain longer than a line
  for (NodeId id = 0; id < 40; ++id) {
    table.add_node(id, NodeType::comp, "n");
    if (id != 0) table.add_data_dep(id - 1);
    table.end_node();
  }
  Feeder original(table, build_graph(table));
  RankArrays<std::uint32_t> counts(std::vector<std::size_t>{40, 40});
  EXPECT_EQ(take_all(original), V{0});  // not visible to the others
  Feeder first(original, counts[0]);
  Feeder second(original, counts[1]);
  for (std::uint32_t node = 0; node < 40; ++node) {
    ASSERT_EQ(take_all(first), V{node});
    first.complete(node);
  }
  EXPECT_TRUE(first.done());
  EXPECT_EQ(take_all(second), V{0});
  EXPECT_EQ(second.waits_for(39), 1U);
  Feeder copy = second;  // counts independently
  copy.complete(0);
  EXPECT_EQ(copy.waits_for(1), 0U);
  EXPECT_EQ(second.waits_for(1), 1U);
  first.reset();
  EXPECT_EQ(take_all(first), V{0});
  EXPECT_EQ(first.waits_for(20), 1U);
}

TEST(Feeder, EmptyTraceIsDone) {
  const NodeTable table;
  Feeder feeder(table, build_graph(table));
  EXPECT_TRUE(feeder.done());
  EXPECT_EQ(take_all(feeder), V{});
}

TEST(Feeder, RejectsLanesOutOfRange) {
  const NodeTable table = table_of({{0, {}}});
  const std::vector<std::uint8_t> lanes = {Feeder::max_lanes};
  EXPECT_THROW(Feeder(table, build_graph(table), lanes), std::invalid_argument);
}

}  // namespace
}  // namespace convert
