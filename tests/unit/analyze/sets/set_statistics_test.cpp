// SPDX-License-Identifier: MIT
#include "analyze/sets/set_statistics.h"

#include <gtest/gtest.h>

#include <map>

namespace convert {
namespace {

Trace trace(Rank rank) {
  Trace t;
  t.rank = rank;
  return t;
}

// Adds a node of `us` microseconds after `parent` (-1: none).
Node& add(Trace& t, NodeId id, NodeType type, const char* name, std::int64_t parent, std::uint64_t us) {
  Node& n = t.nodes.add_node(id, type, name);
  n.duration_us = us;
  if (parent >= 0) t.nodes.add_data_dep(static_cast<NodeId>(parent));
  return n;
}
void end(Trace& t) { t.nodes.end_node(); }

void add_message(Trace& t, NodeId id, bool send, std::int64_t peer, std::int64_t bytes, std::int64_t parent) {
  add(t, id, send ? NodeType::comm_send : NodeType::comm_recv, send ? "send" : "recv", parent, 0);
  t.nodes.add_int(send ? attr::comm_dst : attr::comm_src, Kind::int32_val, peer);
  t.nodes.add_int(attr::comm_tag, Kind::int32_val, 7);
  t.nodes.add_int(attr::comm_size, Kind::int64_val, bytes);
  end(t);
}

void add_call(Trace& t, NodeId id, const char* group, std::int64_t bytes, std::int64_t parent,
              std::uint64_t us = 0) {
  add(t, id, NodeType::comm_coll, "call", parent, us);
  t.nodes.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(Collective::all_reduce));
  t.nodes.add_int(attr::comm_size, Kind::int64_val, bytes);
  if (*group != '\0') t.nodes.add_string(attr::pg_name, group);
  end(t);
}

SetStatistics count(std::initializer_list<const Trace*> traces, SetStatistics::Options options = {}) {
  SetStatistics set(options);
  const RankWishes wishes{
      .by = options.by, .redundant = true, .path = options.path, .ops_per_ns = options.ops_per_ns};
  for (const Trace* t : traces) set.add(statistics_of(*t, wishes));
  return set;
}

Value set_figure(const Section& s, std::string_view key) {
  for (const Figure& f : s.figures) {
    if (f.key == key) return f.value;
  }
  ADD_FAILURE() << s.name << " has no figure " << key;
  return {};
}
std::int64_t set_number(const Section& s, std::string_view key) {
  return std::get<std::int64_t>(set_figure(s, key));
}

const Table& set_table(const Section& s, std::string_view key) {
  for (const Table& t : s.tables) {
    if (t.key == key) return t;
  }
  throw std::runtime_error("no table " + std::string(key));
}

TEST(SetStatistics, CountsNodesEdgesAndDepth) {
  Trace t = trace(0);
  add(t, 0, NodeType::comp, "a", -1, 2), end(t);
  add(t, 1, NodeType::comp, "b", 0, 3), end(t);
  add(t, 2, NodeType::comp, "a", 1, 4);
  t.nodes.add_ctrl_dep(0);
  end(t);
  const Section s = count({&t}).section("nodes");
  EXPECT_EQ(set_number(s, "total"), 3);
  EXPECT_EQ(set_number(s, "edges"), 3);
  EXPECT_EQ(set_number(s, "data_edges"), 2);
  EXPECT_EQ(set_number(s, "control_edges"), 1);
  EXPECT_EQ(set_number(s, "depth"), 3);
  EXPECT_EQ(set_number(s, "roots"), 1);
  EXPECT_EQ(set_number(s, "children_max"), 2);
  const Table& names = set_table(s, "by_name");
  ASSERT_EQ(names.rows.size(), 2U);
  EXPECT_EQ(names.rows[0],
            (std::vector<Value>{std::string("a"), std::int64_t{2}, std::int64_t{6'000'000}, 3e6, std::int64_t{0}}));
}

TEST(SetStatistics, DependenciesThatOthersImplyAreRedundant) {
  Trace t = trace(0);
  add(t, 5, NodeType::comp, "a", -1, 1), end(t);
  add(t, 6, NodeType::comp, "b", 5, 1), end(t);
  add(t, 7, NodeType::comp, "c", 6, 1);
  t.nodes.add_data_dep(5);  // through 6
  end(t);
  add(t, 8, NodeType::comp, "d", 7, 1), end(t);
  const Section s = count({&t}).section("redundant");
  EXPECT_EQ(set_number(s, "edges"), 1);
}

TEST(SetStatistics, PercentilesByName) {
  Trace t = trace(0);
  for (NodeId i = 0; i < 100; ++i) add(t, i, NodeType::comp, "a", -1, i + 1), end(t);
  const Section s = count({&t}, {.by = NodeKey::name}).section("nodes");
  const std::vector<Value>& row = set_table(s, "nodes_by_name").rows.at(0);
  EXPECT_EQ(row[6], Value(std::int64_t{50'000'000}));   // p50
  EXPECT_EQ(row[7], Value(std::int64_t{99'000'000}));   // p99
  EXPECT_EQ(row[8], Value(std::int64_t{100'000'000}));  // max
}

TEST(SetStatistics, VolumeSizesAndMatrixOfMessages) {
  Trace a = trace(0), b = trace(1);
  add_message(a, 0, true, 1, 1000, -1);
  add_message(a, 1, true, 1, 0, 0);
  add_message(b, 0, false, 0, 1000, -1);
  const SetStatistics set = count({&a, &b});
  EXPECT_EQ(set_number(set.section("volume"), "sent"), 1000);
  EXPECT_EQ(set_number(set.section("volume"), "received"), 1000);
  EXPECT_EQ(set_number(set.section("volume"), "messages"), 2);
  const Table sizes = set_table(set.section("sizes"), "messages");
  ASSERT_EQ(sizes.rows.size(), 2U);
  EXPECT_EQ(sizes.rows[0][0], Value(std::int64_t{0}));
  EXPECT_EQ(sizes.rows[1][0], Value(std::int64_t{512}));
  const Table pairs = set_table(set.section("matrix"), "pairs");
  ASSERT_EQ(pairs.rows.size(), 1U);
  EXPECT_EQ(pairs.rows[0][3], Value(std::int64_t{1000}));
}

TEST(SetStatistics, CollectivesByTypeGroupAndSize) {
  Trace a = trace(0);
  add_call(a, 0, "", 1024, -1);
  add_call(a, 1, "0", 1024, 0);
  add_call(a, 2, "tp", 4096, 1);
  const Section s = count({&a}).section("collectives");
  EXPECT_EQ(set_number(s, "all_reduce.calls"), 3);
  EXPECT_EQ(set_number(s, "all_reduce.bytes"), 6144);
  const Table& groups = set_table(s, "by_group");
  ASSERT_EQ(groups.rows.size(), 2U);  // "0" is all ranks too
  EXPECT_EQ(groups.rows[0][1], Value(std::string("tp")));
}

TEST(SetStatistics, ThePathGoesThroughMessages) {
  Trace a = trace(0), b = trace(1);
  add(a, 0, NodeType::comp, "x", -1, 10), end(a);
  add_message(a, 1, true, 1, 8, 0);
  add_message(b, 0, false, 0, 8, -1);
  add(b, 1, NodeType::comp, "y", 0, 5), end(b);
  const Section s = count({&a, &b}).section("path");
  EXPECT_EQ(set_number(s, "work"), 15'000'000);
  EXPECT_EQ(set_number(s, "span"), 15'000'000);
  EXPECT_EQ(set_number(s, "span_nodes"), 4);
  EXPECT_EQ(set_number(s, "depth"), 4);
  EXPECT_EQ(set_number(s, "messages"), 1);
}

TEST(SetStatistics, ACollectiveWaitsForAllRanks) {
  Trace a = trace(0), b = trace(1);
  add(a, 0, NodeType::comp, "slow", -1, 10), end(a);
  add_call(a, 1, "", 8, 0, 2);
  add_call(b, 0, "", 8, -1, 2);
  add(b, 1, NodeType::comp, "y", 0, 5), end(b);
  const Section s = count({&a, &b}).section("path");
  EXPECT_EQ(set_number(s, "span"), 17'000'000);
  EXPECT_EQ(set_number(s, "span_free_communication"), 15'000'000);
  EXPECT_EQ(set_number(s, "span_free_computing"), 2'000'000);
  EXPECT_EQ(set_number(s, "calls"), 1);
}

TEST(SetStatistics, TheBusiestRankBoundsTheRun) {
  Trace t = trace(3);
  for (NodeId i = 0; i < 4; ++i) add(t, i, NodeType::comp, "a", -1, 10), end(t);
  const Section s = count({&t}).section("path");
  EXPECT_EQ(set_number(s, "span"), 10'000'000);
  EXPECT_EQ(set_number(s, "lower_bound"), 40'000'000);
  EXPECT_EQ(set_number(s, "busiest_rank"), 3);
}

TEST(SetStatistics, NothingIsCountedOfNothing) {
  const SetStatistics set = count({});
  for (const std::string& name : SetStatistics::section_names()) EXPECT_EQ(set.section(name).name, name);
  EXPECT_EQ(set_number(set.section("nodes"), "total"), 0);
  EXPECT_EQ(set_number(set.section("path"), "span"), 0);
}

TEST(SetStatistics, HostileNumbersAreLeftOutAndTold) {
  Trace t = trace(0);
  add_message(t, 0, true, 1, -5, -1);
  add_message(t, 1, true, 1, INT64_MAX, -1);
  add_message(t, 2, true, 1, INT64_MAX, -1);
  add(t, 3, NodeType::comp, "long", -1, UINT64_MAX);
  t.nodes.nodes.back().start_us = UINT64_MAX;
  end(t);
  add(t, 3, NodeType::comp, "again", 99, 0), end(t);
  const SetStatistics set = count({&t});
  const Section volume = set.section("volume");
  EXPECT_EQ(volume.figures.at(1).key, "sent");
  EXPECT_EQ(volume.figures.at(1).value, Value(0x1p64));
  ASSERT_EQ(volume.notes.size(), 3U);
  EXPECT_EQ(volume.notes[1],
            "sizes omitted, as they are negative or not integers (et-validate --rules attributes lists them): 1");
  EXPECT_EQ(volume.notes[2], "a sum exceeds 2^63-1 and is rounded");
  const Section nodes = set.section("nodes");
  ASSERT_EQ(nodes.notes.size(), 3U);
  EXPECT_EQ(nodes.notes[0],
            "nodes with the id of an earlier node of their rank (et-validate --rules ids lists them): 1");
  EXPECT_EQ(nodes.notes[1],
            "dependencies omitted, on nodes that do not exist (et-validate --rules deps lists them): 1");
  EXPECT_EQ(nodes.notes[2], "times omitted, as they are negative or too large (et-validate --rules attributes): 2");
}

TEST(SetStatistics, WhatWaitsForItselfIsTold) {
  Trace t = trace(0);
  add(t, 0, NodeType::comp, "a", 1, 1), end(t);
  add(t, 1, NodeType::comp, "b", 0, 1), end(t);
  const SetStatistics set = count({&t});
  EXPECT_EQ(set.section("nodes").notes.at(0),
            "nodes on or after a cycle, without depth (et-validate --rules cycles lists it): 2");
  EXPECT_EQ(set.section("path").notes.at(0).substr(0, 17), "2 nodes never run");
}

TEST(SetStatistics, UseOfThePeakFromRecordedTimes) {
  Trace t = trace(0);
  add(t, 0, NodeType::comp, "gemm", -1, 10);
  t.nodes.nodes.back().start_us = 1'700'000'000'000'000;
  t.nodes.add_int(attr::num_ops, Kind::int64_val, 5'000'000);
  end(t);
  const Section s = count({&t}, {.ops_per_ns = 1000}).section("flops");
  EXPECT_EQ(set_number(s, "operations"), 5'000'000);
  EXPECT_DOUBLE_EQ(std::get<double>(set_figure(s, "mfu")), 0.5);
}

}  // namespace
}  // namespace convert
