// SPDX-License-Identifier: MIT
#include "passes/split/split.h"

#include <gtest/gtest.h>

#include <functional>

#include "common/error_text.h"
#include "passes/split/collapse.h"
#include "passes/split/subset.h"
#include "trace_builder.h"

namespace convert {
namespace {

using namespace test;

const Name device{std::string_view("device_of")};

// One word per node, such as "5s<3,4;2": its id, its type unless it is a computation (s: send, r: receive,
// c: collective), its data dependencies, and after ";" its control dependencies.
std::string dependencies_text(const NodeTable& table) {
  std::string out;
  const auto list = [](std::span<const NodeId> ids) {
    std::string s;
    for (const NodeId id : ids) s += (s.empty() ? "" : ",") + std::to_string(id);
    return s;
  };
  for (const Node& n : table.nodes) {
    out += (out.empty() ? "" : " ") + std::to_string(n.id);
    if (n.type == NodeType::comm_send) out += "s";
    if (n.type == NodeType::comm_recv) out += "r";
    if (n.type == NodeType::comm_coll) out += "c";
    if (n.data_deps.count + n.ctrl_deps.count != 0) out += "<" + list(table.data_deps(n));
    if (n.ctrl_deps.count != 0) out += ";" + list(table.ctrl_deps(n));
  }
  return out;
}

SystemSplit split(Trace system, CrossEdges cross = CrossEdges::pair) {
  std::vector<NodePlace> places = places_by_attribute(system, attr::npu, true);
  require_places(system, places, "hint");
  return {std::move(system), std::move(places), cross, std::nullopt};
}

std::int64_t int_at(const NodeTable& table, std::size_t node, Name name) {
  return int_value(table.attributes(table.nodes[node]), name).value;
}

TEST(Split, EdgesBetweenNpusBecomeMessages) {
  TraceBuilder b;
  b.comp(10).set(attr::npu, 0).set(attr::tensor_size, 4096);
  b.comp(11, {10}).set(attr::npu, 1);
  b.comp(12, {10, 11}).set(attr::npu, 1);
  b.node(13, NodeType::comp).control(12).set(attr::npu, 0);
  b.send(14, 1, 7, 8).set(attr::comm_src, 0).set(attr::npu, 0);
  b.recv(15, 0, 7, 8, {14}).set(attr::comm_dst, 1).set(attr::npu, 1);  // its own message
  const SystemSplit s = split(b.trace());
  EXPECT_EQ(s.ranks(), (std::vector<Rank>{0, 1}));
  const NodeTable zero = s.nodes(0);
  const NodeTable one = s.nodes(1);
  EXPECT_EQ(dependencies_text(zero), "10 13<;17 14s 16s<10 17r");
  EXPECT_EQ(dependencies_text(one), "11<16 12<16,11 15r 16r 17s<;12");
  EXPECT_EQ(int_at(zero, 3, attr::comm_size), 4096);  // one message for both children
  EXPECT_EQ(int_at(one, 3, attr::comm_size), 4096);
  EXPECT_EQ(int_at(zero, 4, attr::comm_size), 0);  // a control dependency synchronises
  EXPECT_EQ(int_at(zero, 3, attr::comm_tag), 8);   // after the existing ones
  EXPECT_EQ(int_at(one, 4, attr::comm_tag), 9);
  EXPECT_EQ(find(zero.attributes(zero.nodes[0]), attr::npu), nullptr);
  EXPECT_EQ(s.counts().edges, 3U);
  EXPECT_EQ(s.counts().messages, 2U);
}

TEST(Split, EdgesBetweenNpusAreLeftOutOrRefused) {
  TraceBuilder b;
  b.comp(1).set(attr::npu, 0);
  b.comp(2, {1}).set(attr::npu, 1);
  const Trace t = b.trace();
  EXPECT_EQ(dependencies_text(split(t, CrossEdges::drop).nodes(1)), "2");
  EXPECT_EQ(split(t, CrossEdges::drop).counts().dropped, 1U);
  EXPECT_EQ(error_message([&] { (void)split(t, CrossEdges::error); }),
            "node 2 (n) of NPU 1 depends on node 1 (n) of NPU 0; use --cross pair to make it a message, or --cross "
            "drop to omit it");
}

TEST(Split, DevicesByTheNumberAtTheEndOfTheirNames) {
  for (const auto& [name, rank] : {std::pair{"npu3", 3}, {"GPU 12", 12}, {"cuda:0", 0}, {"7", 7}}) {
    TraceBuilder b;
    b.comp(0);
    b.table().add_string(device, name);
    EXPECT_EQ(places_by_attribute(b.trace(), device, true).at(0).ranks.rank, static_cast<Rank>(rank));
  }
  for (const char* name : {"cpu", "gpu3x", "", "npu99999999999"}) {
    TraceBuilder b;
    b.comp(0);
    b.table().add_string(device, name);
    const Trace t = b.trace();
    EXPECT_EQ(
        error_message([&] { (void)places_by_attribute(t, device, true); }),
        "node 0: attribute device_of is '" + std::string(name) + "', which does not end in the number of an NPU");
  }
  TraceBuilder b;
  b.comp(0).set(device, -1);
  const Trace t = b.trace();
  EXPECT_EQ(error_message([&] { (void)places_by_attribute(t, device, true); }),
            "node 0: attribute device_of is not a rank, an integer from 0 to 2^31-1");
}

TEST(Split, NodesWithoutAnNpuAndGaps) {
  TraceBuilder b;
  b.comp(4);
  b.comp(5).set(attr::npu, 0);
  const Trace t = b.trace();
  EXPECT_EQ(error_message([&] { (void)split(t); }), "1 node has no NPU: node 4 (n); hint");
  TraceBuilder gap;
  gap.comp(4).set(attr::npu, 0);
  gap.comp(5).set(attr::npu, 2);
  const Trace g = gap.trace();
  EXPECT_EQ(error_message([&] { (void)split(g); }),
            "node 5 (n) of NPU 2 exists, but no node of NPU 1; NPUs must be 0…2 without gaps");
}

// A ring of transfers waits for arrivals; a task of another NPU cannot wait for an arrival.
TEST(Split, TransfersOfTaskGraphs) {
  const auto transfer = [](TraceBuilder& b, NodeId id, int from, int to, const std::vector<NodeId>& deps) {
    b.comp(id, deps).set(attr::comm_src, from).set(attr::comm_dst, to).set(attr::comm_size, 64);
    b.table().add_string(attr::comm_task, "Comm");
  };
  TraceBuilder b;
  b.comp(0).set(attr::npu, 0);
  transfer(b, 1, 0, 1, {0});
  transfer(b, 2, 1, 2, {1});
  b.comp(3, {2}).set(attr::npu, 2);
  const SystemSplit s = split(b.trace());
  EXPECT_EQ(dependencies_text(s.nodes(0)), "0 1s<0");
  EXPECT_EQ(dependencies_text(s.nodes(1)), "1r 2s<1");
  EXPECT_EQ(dependencies_text(s.nodes(2)), "2r 3<2");
  TraceBuilder bad;
  bad.comp(0).set(attr::npu, 2);
  transfer(bad, 1, 0, 1, {0});
  const Trace t = bad.trace();
  EXPECT_EQ(
      error_message([&] { (void)split(t); }),
      "node 1 (n) of NPU 0 and NPU 1 depends on node 0 (n) of NPU 2, but a transfer joins only tasks of its own "
      "NPUs");
}

TEST(Split, JoinedRanksThatCannotBe) {
  Trace t;
  t.name = "j.et";
  EXPECT_FALSE(read_joined(t));
  write_joined(
      {.ranks = {0, 1}, .first_ids = {0, 5, 3}, .keeps_ids = {false, false}, .metadata = {"", ""}, .groups = {}},
      t.metadata);
  EXPECT_EQ(error_message([&] { (void)read_joined(t); }),
            "the ranks in the metadata of this joined set, or their ids, are not ascending");
  Trace u;
  write_joined(
      {.ranks = {0, 1}, .first_ids = {0, 5}, .keeps_ids = {false, false}, .metadata = {"", ""}, .groups = {}},
      u.metadata);
  EXPECT_EQ(error_message([&] { (void)read_joined(u); }),
            "metadata attribute joined.first_ids has 2 values instead of 3");
}

TEST(Subset, LeavesMessagesToOthersOut) {
  const auto trace = [] {
    TraceBuilder b(2);
    b.comp(0);
    b.send(1, 9, 0, 8, {0}).set(attr::comm_src, 2);
    b.recv(2, 9, 0, 8, {1});
    b.node(3, NodeType::comp, {2}).control(1);
    b.send(4, 5, 0, 8, {3, 2}).set(attr::comm_src, 2);
    return b.trace();
  };
  Trace t = trace();
  const SubsetCounts counts = take_rank({.ranks = {2, 5}, .drop_messages = true}, t);
  EXPECT_EQ(counts.dropped, 2U);
  EXPECT_EQ(dependencies_text(t.nodes), "0 3<0;0 4s<3,0");
  EXPECT_EQ(t.rank, 0U);
  EXPECT_EQ(int_at(t.nodes, 2, attr::comm_src), 0);
  EXPECT_EQ(int_at(t.nodes, 2, attr::comm_dst), 1);
  Trace u = trace();
  EXPECT_EQ(
      error_message([&] {
        (void)take_rank({.ranks = {2, 5}}, u);
      }),
      "node 1 (n) of rank 2: sends to rank 9, which is not in the subset; use --cross drop to omit such messages");
  Trace v = trace();
  (void)take_rank({.ranks = {2, 5, 9}, .renumber = false}, v);
  EXPECT_EQ(int_at(v.nodes, 4, attr::comm_dst), 5);
}

TEST(Subset, RulesOfOtherDependenciesAreForgotten) {
  TraceBuilder b(2);
  b.comp(0).comp(5, {0}).table().add_string(attr::dep_rules, "p");
  b.recv(2, 9, 0, 8, {0});
  b.comp(3, {2, 5}).table().add_string(attr::dep_rules, "ep");  // then [0, 5], which has the same length
  Trace t = b.trace();
  (void)take_rank({.ranks = {2, 5}, .drop_messages = true}, t);
  EXPECT_EQ(dependencies_text(t.nodes), "0 5<0 3<0,5");
  EXPECT_EQ(t.nodes.string(*find(t.nodes.attributes(t.nodes.nodes[1]), attr::dep_rules)), "p");
  EXPECT_EQ(t.nodes.string(*find(t.nodes.attributes(t.nodes.nodes[2]), attr::dep_rules)), "");
}

// Without the middle node, this would have as many dependencies as the square of its ends.
TEST(Subset, DoesNotGrowBeyondReason) {
  constexpr NodeId ends = 5000;
  TraceBuilder b;
  std::vector<NodeId> parents;
  for (NodeId i = 0; i < ends; ++i) {
    b.comp(i);
    parents.push_back(i);
  }
  b.send(ends, 1, 0, 8, parents);
  for (NodeId i = 0; i < ends; ++i) b.comp(ends + 1 + i, {ends});
  Trace t = b.trace();
  EXPECT_TRUE(error_message([&] {
                (void)take_rank({.ranks = {0}, .drop_messages = true}, t);
              }).starts_with("removing the messages to other ranks would create more than "));
}

// Two nodes represent collective 7: node 21 waits for node 20, and node 8 waits for node 21.
Trace merged_nodes(std::int64_t nodes = 2, const std::vector<NodeId>& waits = {21},
                   const std::vector<NodeId>& second = {20}) {
  TraceBuilder b;
  b.comp(1);
  b.comp(8, waits);
  const auto of = [&](NodeId id, const std::vector<NodeId>& deps) {
    b.comp(id, deps).set(attr::merged_from, 7, Kind::uint64_val);
    b.table().add_string(attr::merged_name, "all");
  };
  of(20, {1});
  b.set(attr::merged_nodes, nodes, Kind::uint64_val);
  of(21, second);
  return b.trace();
}

TEST(Collapse, PutsTheCollectiveBack) {
  Trace t = merged_nodes();
  EXPECT_EQ(collapse_collectives(t).nodes, 2U);
  EXPECT_EQ(dependencies_text(t.nodes), "1 7c<1 8<7");
}

TEST(Collapse, RefusesWhatIsNotWhole) {
  const auto message = [](Trace t) { return error_message([&] { (void)collapse_collectives(t); }); };
  EXPECT_EQ(message(merged_nodes(3)),
            "node 20: merged collective 7 (all) has 2 of its 3 nodes: node 22 is missing");
  EXPECT_EQ(message(merged_nodes(1)),
            "node 21: is not one of the 1 node from 20 that replaced merged collective 7 (all)");
  EXPECT_EQ(message(merged_nodes(2, {20})),
            "node 8: depends on node 20 of merged collective 7 (all), which is not one of its last nodes");
  EXPECT_EQ(message(merged_nodes(2, {21}, {20, 1})),
            "node 21: depends on nodes outside of merged collective 7 (all), but is not one of its first nodes");
  EXPECT_EQ(message(merged_nodes(2, {20, 21}, {})),
            "node 21: depends on other nodes than node 20, which begins merged collective 7 (all) as well");
  EXPECT_EQ(message(merged_nodes(2, {21}, {1})),
            "node 8: depends on node 21 of merged collective 7 (all), but not on all its last nodes in order: node "
            "20 is missing or at another position");
}

}  // namespace
}  // namespace convert
