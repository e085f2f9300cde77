// SPDX-License-Identifier: MIT
#include "formats/graphs/drawn_rank.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "formats/graphs/drawing.h"

namespace convert::drawing {
namespace {

using What = GraphDefect::What;
using Deps = std::vector<NodeId>;

DrawnRank drawn(const Trace& t) {
  DrawnRank rank(t);
  rank.add(t.nodes);
  rank.finish();
  return rank;
}

void add(NodeTable& to, NodeId id, const Deps& data, const Deps& control = {}) {
  to.add_node(id, NodeType::comp, "n");
  for (const NodeId d : data) to.add_data_dep(d);
  for (const NodeId d : control) to.add_ctrl_dep(d);
  to.end_node();
}

// Returns the parents of the nodes of a rank, such as "1 2c|": a control dependency has a c.
std::string parents_text(const DrawnRank& rank) {
  DependencyReader dependencies(rank);
  std::string text;
  for (std::uint32_t i = 0; i < rank.size(); ++i) {
    for (const DrawnParent& p : dependencies.next_parents())
      text += std::to_string(p.id) + (p.kind == DepKind::control ? "c " : " ");
    text += '|';
  }
  return text;
}

TEST(DrawnRank, SmallAndLargeValuesAreWhatTheyWere) {
  constexpr std::int64_t low = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t high = std::numeric_limits<std::int64_t>::max();
  Trace t;
  for (std::size_t i = 0; i < drawn_numbers; ++i) {
    Node& node = t.nodes.add_node(~NodeId{0} - i, static_cast<NodeType>(i % 2 == 0 ? -1 : 5), "name");
    node.start_us = i == 1 ? ~std::uint64_t{0} : 0;
    node.duration_us = i == 2 ? ~std::uint64_t{0} : 0;
    t.nodes.add_int(drawn_names[i], Kind::int64_val, low);
    t.nodes.add_int(drawn_names[i], Kind::int64_val, 7);  // the first one counts
    t.nodes.add_int(drawn_names[(i + 1) % drawn_numbers], Kind::sfixed64_val, high);
    t.nodes.add_double(drawn_names[(i + 2) % drawn_numbers], 1.5);                 // not an integer
    t.nodes.add_int(drawn_names[(i + 3) % drawn_numbers], Kind::uint64_val, low);  // 2^63
    if (i == 3) t.nodes.add_string(attr::pg_name, "");
    if (i == 4) t.nodes.add_int(attr::pg_name, Kind::int64_val, 4);
    t.nodes.end_node();
  }
  const DrawnRank rank = drawn(t);
  std::size_t seen = 0;
  rank.for_each_node([&](const DrawnNode& n) {
    const std::size_t i = n.index;
    EXPECT_EQ(i, seen++);
    EXPECT_EQ(n.id, ~NodeId{0} - i);
    EXPECT_EQ(n.type, static_cast<NodeType>(i % 2 == 0 ? -1 : 5));
    EXPECT_EQ(n.name, "name");
    EXPECT_EQ(n.start_us, i == 1 ? ~std::uint64_t{0} : 0);
    EXPECT_EQ(n.duration_us, i == 2 ? ~std::uint64_t{0} : 0);
    EXPECT_EQ(n[drawn_names[i]], low);
    EXPECT_EQ(n[drawn_names[(i + 1) % drawn_numbers]], high);
    for (std::size_t k = 2; k < drawn_numbers; ++k)
      EXPECT_EQ(n[drawn_names[(i + k) % drawn_numbers]], std::nullopt);
    EXPECT_EQ(n.group.has_value(), i == 3);
  });
  EXPECT_EQ(seen, drawn_numbers);
}

// If nearly all names are new, they are not looked up. All must be restored either way.
TEST(DrawnRank, NamesAreWhatTheyWere) {
  for (const NodeId different : {1, 7, 5000}) {
    Trace t;
    const auto name_of = [&](NodeId i) { return "name " + std::to_string(i % different); };
    for (NodeId i = 0; i < 5000; ++i) {
      t.nodes.add_node(i, NodeType::comp, name_of(i));
      t.nodes.add_string(attr::pg_name, name_of(i + 1));
      t.nodes.end_node();
    }
    drawn(t).for_each_node([&](const DrawnNode& n) {
      ASSERT_EQ(n.name, name_of(n.id));
      ASSERT_EQ(n.group, name_of(n.id + 1));
    });
  }
}

TEST(DrawnRank, ParentsAreThoseOfTheGraph) {
  Trace t;
  add(t.nodes, 5, {9, 5, 9, 42}, {9, 7});
  add(t.nodes, 9, {});
  add(t.nodes, 7, {5, 42}, {5, 9});
  add(t.nodes, 9, {9, 5});
  const DrawnRank rank = drawn(t);
  EXPECT_EQ(parents_text(rank), "9 7c ||5 9c |5 |");
  EXPECT_EQ(rank.duplicates, std::vector<std::uint32_t>{3});
  EXPECT_EQ(rank.missing, Deps{42});
  std::string broken;
  for (const GraphDefect& d : rank.broken)
    broken += (d.what == What::self ? "self " : "dangling ") + std::to_string(d.index) + '\n';
  EXPECT_EQ(broken, "self 0\ndangling 0\ndangling 2\nself 3\n");
}

TEST(DrawnRank, ManyParentsAreEachNamedOnce) {
  Trace t;
  Deps all(100);
  std::iota(all.begin(), all.end(), NodeId{0});
  for (const NodeId id : all) add(t.nodes, id, {});
  add(t.nodes, 200, all, all);
  add(t.nodes, 201, {3, 3});
  Deps twice = all;
  twice.insert(twice.end(), all.begin(), all.end());
  add(t.nodes, 202, twice, {200});
  std::string expected;
  for (const NodeId id : all) expected += std::to_string(id) + ' ';
  EXPECT_EQ(parents_text(drawn(t)), std::string(100, '|') + expected + "|3 |" + expected + "200c |");
}

// A send that waits for a later node is issued after it. If two sends are ready, the lower id is issued first.
TEST(DrawnRank, MessagesAreInTheOrderOfIssue) {
  Trace t;
  const auto send = [&](NodeId id, const Deps& deps) {
    t.nodes.add_node(id, NodeType::comm_send, "s");
    for (const NodeId d : deps) t.nodes.add_data_dep(d);
    t.nodes.add_int(attr::comm_dst, Kind::int32_val, 1);
    t.nodes.add_int(attr::comm_tag, Kind::int32_val, 0);
    t.nodes.end_node();
  };
  send(1, {4});
  send(3, {});
  send(2, {99});
  add(t.nodes, 4, {});
  const DrawnRank rank = drawn(t);
  std::vector<std::uint32_t> nodes;
  for (const Message& m : rank.messages.sends) nodes.push_back(m.node);
  EXPECT_EQ(nodes, (std::vector<std::uint32_t>{2, 1, 0}));
  EXPECT_EQ(nodes.size(), messages_of(t.nodes, build_graph(t.nodes)).sends.size());
}

}  // namespace
}  // namespace convert::drawing
