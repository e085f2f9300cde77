// SPDX-License-Identifier: MIT
#include "passes/fix.h"

#include <gtest/gtest.h>

#include <limits>

#include "trace_builder.h"

namespace convert::test {
namespace {

// "NAME:KIND" of each attribute.
std::vector<std::string> names_and_kinds(const NodeTable& t, std::size_t node) {
  std::vector<std::string> out;
  for (const Attr& a : t.attributes(t.nodes[node]))
    out.push_back(std::string(a.name.view()) + ":" + std::string(kind_name(a.kind)));
  return out;
}

TEST(Fix, FlagOfTheCpu) {
  TraceBuilder b;
  b.comp(0);
  b.send(1, 2, 3, 4);
  b.comp(2).set(attr::is_cpu_op, 1, Kind::bool_val);
  b.node(3, NodeType::metadata);
  b.node(4, NodeType::invalid);
  b.node(5, static_cast<NodeType>(42));
  b.node(6, NodeType::mem_store);
  NodeTable& t = b.trace().nodes;
  const Fixes fixes = fix_nodes(t);
  EXPECT_EQ(fixes.cpu_flags, 3U);
  EXPECT_EQ(names_and_kinds(t, 0), (Lines{"is_cpu_op:bool_val"}));
  EXPECT_EQ(int_value(t.attributes(t.nodes[0]), attr::is_cpu_op).value, 0);
  EXPECT_EQ(names_and_kinds(t, 1).back(), "is_cpu_op:bool_val");
  EXPECT_EQ(int_value(t.attributes(t.nodes[1]), attr::comm_size).value, 4);
  EXPECT_EQ(int_value(t.attributes(t.nodes[2]), attr::is_cpu_op).value, 1);
  for (const std::size_t untouched : {3U, 4U, 5U}) EXPECT_TRUE(names_and_kinds(t, untouched).empty());
  EXPECT_EQ(names_and_kinds(t, 6), (Lines{"is_cpu_op:bool_val"}));
  EXPECT_EQ(fix_nodes(t).total(), 0U) << "a second time there is nothing to do";
}

TEST(Fix, UsualKinds) {
  TraceBuilder b;
  b.comp(0).set(attr::is_cpu_op, 1, Kind::int32_val);
  b.set(attr::num_ops, std::numeric_limits<std::int64_t>::max(), Kind::uint64_val);
  b.set(attr::tensor_size, 7, Kind::uint64_val);
  b.set(attr::comm_tag, -1, Kind::int64_val);
  b.set(attr::comm_src, 5, Kind::sfixed32_val);
  b.set(attr::is_rrc, 1, Kind::uint32_val);
  b.set(attr::stream, -3, Kind::sint32_val);
  b.set(Name("mine"), 1, Kind::int32_val);
  NodeTable& t = b.trace().nodes;
  const Fixes fixes = fix_nodes(t);
  EXPECT_EQ(names_and_kinds(t, 0),
            (Lines{"is_cpu_op:bool_val", "num_ops:int64_val", "tensor_size:uint64_val", "comm_tag:int32_val",
                   "comm_src:int32_val", "is_rrc:bool_val", "stream:int64_val", "mine:int32_val"}));
  EXPECT_EQ(fixes.total(), 6U);
  const auto value = [&](Name name) { return int_value(t.attributes(t.nodes[0]), name).value; };
  EXPECT_EQ(value(attr::num_ops), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(value(attr::comm_tag), -1);
  EXPECT_EQ(value(attr::stream), -3);
}

TEST(Fix, WhatDoesNotFitStays) {
  TraceBuilder b;
  b.comp(0).set(attr::is_cpu_op, 2, Kind::int32_val);
  b.set(attr::num_ops, -1, Kind::uint64_val);  // 2^64 - 1
  b.set(attr::comm_tag, std::int64_t{1} << 31U, Kind::int64_val);
  b.set(attr::comm_dst, 0xffffffff, Kind::uint32_val);
  b.table().add_double(attr::comm_size, 8);
  b.table().add_string(attr::comm_type, "0");
  const Fixes fixes = fix_nodes(b.trace().nodes);
  EXPECT_EQ(fixes.total(), 0U);
  EXPECT_EQ(fixes.lines(), (Lines{"is_cpu_op unchanged in 1 node: the value does not fit bool_val",
                                  "comm_dst unchanged in 1 node: the value does not fit int32_val",
                                  "comm_tag unchanged in 1 node: the value does not fit int32_val",
                                  "num_ops unchanged in 1 node: the value does not fit int64_val"}));
  EXPECT_EQ(names_and_kinds(b.trace().nodes, 0),
            (Lines{"is_cpu_op:int32_val", "num_ops:uint64_val", "comm_tag:int64_val", "comm_dst:uint32_val",
                   "comm_size:double_val", "comm_type:string_val"}));
}

// Readers use the first attribute of a name and ignore the others.
TEST(Fix, OnlyTheFirstOfAName) {
  TraceBuilder b;
  b.comp(0).set(attr::is_cpu_op, 0, Kind::bool_val);
  b.set(attr::comm_size, 1, Kind::int64_val).set(attr::comm_size, 2, Kind::uint64_val);
  EXPECT_EQ(fix_nodes(b.trace().nodes).total(), 0U);
}

TEST(Fix, RepeatedDependencies) {
  TraceBuilder b;
  b.comp(0).set(attr::is_cpu_op, 0, Kind::bool_val);
  b.comp(1, {0, 0}).set(attr::is_cpu_op, 0, Kind::bool_val);
  b.comp(9, {5, 1, 5, 0, 1, 5}).control(0).control(1).control(0).set(attr::is_cpu_op, 0, Kind::bool_val);
  NodeTable& t = b.trace().nodes;
  const Fixes fixes = fix_nodes(t);
  const auto list = [](std::span<const NodeId> ids) { return std::vector<NodeId>(ids.begin(), ids.end()); };
  EXPECT_EQ(list(t.data_deps(t.nodes[1])), (std::vector<NodeId>{0}));
  EXPECT_EQ(list(t.data_deps(t.nodes[2])), (std::vector<NodeId>{5, 1, 0}));
  EXPECT_EQ(list(t.ctrl_deps(t.nodes[2])), (std::vector<NodeId>{0, 1})) << "what is in both lists stays";
  EXPECT_EQ(fixes.lines(), (Lines{"5 repeated dependencies removed"}));
}

TEST(Fix, TheRuleOfADependencyGoesWithIt) {
  TraceBuilder b;
  b.comp(0, {1, 2, 1, 3}).set(attr::is_cpu_op, 0, Kind::bool_val).table().add_string(attr::dep_rules, "leld");
  b.comp(1, {0, 0, 0}).set(attr::is_cpu_op, 0, Kind::bool_val).table().add_string(attr::dep_rules, "leld");
  b.comp(2, {0, 1, 0, 1}).set(attr::is_cpu_op, 0, Kind::bool_val).table().add_string(attr::dep_rules, "sdds");
  NodeTable& t = b.trace().nodes;
  EXPECT_EQ(fix_nodes(t).repeated, 5U);
  const auto rules = [&](std::size_t node) {
    return t.string(*find(t.attributes(t.nodes[node]), attr::dep_rules));
  };
  EXPECT_EQ(rules(0), "led");
  EXPECT_EQ(rules(1), "leld") << "of another number: not theirs";
  EXPECT_EQ(rules(2), "dd") << "what is data by one rule is data";
}

TEST(Fix, LongLists) {
  TraceBuilder b;
  std::vector<NodeId> deps;
  for (NodeId i = 0; i < 300'000; ++i) deps.push_back(1 + i % 100'000);
  b.comp(0, deps);
  EXPECT_EQ(fix_nodes(b.trace().nodes).repeated, 200'000U);
}

TEST(Fix, Sums) {
  Fixes all;
  EXPECT_TRUE(all.lines().empty());
  Fixes one;
  one.cpu_flags = 1;
  one.kinds[2] = 2;
  one.repeated = 1;
  all += one;
  all += one;
  EXPECT_EQ(all.total(), 8U);
  EXPECT_EQ(one.lines(), (Lines{"is_cpu_op (false) added to 1 node", "comm_size converted to int64_val in 2 nodes",
                                "1 repeated dependency removed"}));
}

}  // namespace
}  // namespace convert::test
