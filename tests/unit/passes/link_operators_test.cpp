// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <map>

#include "link_builder.h"

namespace convert::test {
namespace {

// A node is shown as "6 [delay] 1600-2500 <1 program_order:5 +20": id, name, begin and end in ns; "<" and the node
// of a control dependency; the rule of a data dependency and its node; "+" and the start delay in ns.

TEST(LinkOperators, IdsMatchAndNamesMustAgree) {
  Program p;
  p.op(0, 1000, 1100, "a");
  p.node({.id = 50, .name = "b", .caller = 2, .rf_id = 70, .tid = 1});
  p.event(0, 1200, 1300, "other", 70);
  p.node({.id = 51, .name = "c", .caller = 2, .rf_id = 71, .tid = 1});  // between the profiled ones
  p.event(0, 1400, 1500, "d", 75);
  p.node({.id = 52, .name = "e", .caller = 2, .rf_id = 80, .tid = 1});
  const LinkedTrace l = p.link({.list_unmatched = true});
  EXPECT_EQ(l.report.matched_by_id, 1U);
  EXPECT_EQ(count(l.report, Unmatched::host_name_differs), 1U);
  EXPECT_EQ(count(l.report, Unmatched::host_not_profiled), 1U);
  EXPECT_EQ(count(l.report, Unmatched::host_outside_profile), 1U);
  EXPECT_EQ(count(l.report, Unmatched::event_without_host), 2U);
  std::vector<std::string> names;
  for (const LinkReport::Item& i : l.report.items) names.push_back(i.name + ' ' + std::to_string(i.id));
  EXPECT_EQ(names, (std::vector<std::string>{"b 50", "c 51", "e 52", "other 70", "d 75"}));
  EXPECT_EQ(l.report.cpu_nodes, 2U + 4U + 2U);  // process and thread, host nodes, profile nodes
  EXPECT_EQ(int_of(l.trace, node_named(l.trace, "b"), attr::host_id, -1), 50);
}

// A restarted profiler counts from the same id.
TEST(LinkOperators, AnIdOfSeveralEventsGoesByNameThenByOrder) {
  Program p;
  for (const NodeId id : {10, 11, 12, 13}) {
    p.node({.id = id, .name = id == 11 ? "b" : "a", .caller = 2, .rf_id = 5, .tid = 1});
  }
  p.event(0, 1000, 1001, "a", 5);
  p.event(0, 1100, 1102, "a", 5);
  p.event(0, 1200, 1203, "b", 5);
  const LinkedTrace l = p.link();
  EXPECT_EQ(l.report.matched_by_id, 3U);
  EXPECT_EQ(count(l.report, Unmatched::host_name_differs), 1U);
  std::map<std::int64_t, std::int64_t> starts;
  for (const Node& n : l.trace.nodes.nodes) starts[int_of(l.trace, n, attr::host_id, -1)] = start_of(l.trace, n);
  EXPECT_EQ(starts[10], 1000);
  EXPECT_EQ(starts[11], 1200);
  EXPECT_EQ(starts[12], 1100);
}

TEST(LinkOperators, WithoutIdsTheThreadOfTheSameNamesAndTheirOrderMatch) {
  Program p(2);
  for (Profile::CpuOp& op : p.profile().cpu_ops) op.rf_id = -1;
  NodeId id = 10;
  for (const std::string_view name : {"a", "b", "a", "c"}) {
    p.node({.id = id++, .name = name, .caller = 2, .rf_id = -1, .tid = 1});
  }
  for (const std::string_view name : {"x", "a"}) {
    p.node({.id = id++, .name = name, .caller = 3, .rf_id = -1, .tid = 2});
  }
  // The threads are in reverse order, and not in the order of time.
  p.event(0, 2000, 2100, "x");
  p.event(0, 2200, 2300, "a");
  p.event(1, 1300, 1400, "a");
  p.event(1, 1000, 1100, "a");
  p.event(1, 1200, 1300, "b");
  p.event(1, 1500, 1600, "b");
  const LinkedTrace l = p.link();
  EXPECT_EQ(l.report.matched_by_id, 0U);
  EXPECT_EQ(l.report.matched_by_order, 4U);         // both a, x, a
  EXPECT_EQ(l.report.matched_by_order_unsure, 1U);  // one b of two
  EXPECT_EQ(count(l.report, Unmatched::host_not_profiled), 1U);
  EXPECT_EQ(count(l.report, Unmatched::event_without_host), 1U);
  std::map<std::int64_t, std::int64_t> starts;
  for (const Node& n : l.trace.nodes.nodes) starts[int_of(l.trace, n, attr::host_id, -1)] = start_of(l.trace, n);
  EXPECT_EQ(starts[10], 1000);
  EXPECT_EQ(starts[11], 1200);
  EXPECT_EQ(starts[12], 1300);
  EXPECT_EQ(starts[14], 2000);
  EXPECT_EQ(starts[15], 2200);
  EXPECT_EQ(displaced(l.trace), Lines{});
}

TEST(LinkOperators, DuplicateIdsAndMissingCallersAreCounted) {
  Program p;
  p.op(0, 1000, 2000, "a", {.caller = 77});
  p.node({.id = 3, .name = "again", .caller = 2, .rf_id = 90, .tid = 1});
  p.node({.id = 9, .name = "self", .caller = 9, .rf_id = 91, .tid = 1});
  const LinkedTrace l = p.link();
  EXPECT_EQ(count(l.report, Unmatched::host_id_repeated), 1U);
  EXPECT_EQ(count(l.report, Unmatched::caller_missing), 1U);
  EXPECT_EQ(count(l.report, Unmatched::caller_later), 1U);  // itself
  EXPECT_EQ(l.report.cpu_nodes, 5U);
  EXPECT_TRUE(l.trace.nodes.ctrl_deps(node_named(l.trace, "a")).empty());
}

TEST(LinkOperators, WhereNothingMatchesAtAllThatIsSaid) {
  Program p;
  p.node({.id = 10, .name = "a", .caller = 2, .rf_id = 90, .tid = 1});
  p.event(0, 1000, 1100, "b", 7);
  const LinkedTrace l = p.link();
  EXPECT_EQ(count(l.report, Unmatched::no_host_profiled), 1U);
  EXPECT_EQ(count(l.report, Unmatched::host_outside_profile), 0U);
  EXPECT_EQ(count(l.report, Unmatched::event_without_host), 1U);
}

TEST(LinkOperators, CallersInACircleAreKeptWithoutEachOther) {
  Program p;
  p.node({.id = 10, .name = "a", .caller = 11, .rf_id = 90, .tid = 1});
  p.node({.id = 11, .name = "b", .caller = 10, .rf_id = 91, .tid = 1});
  const LinkedTrace l = p.link_host();
  EXPECT_EQ(shown(l.trace), (Lines{"2 a 0-0 program_order:1", "3 b 0-0 <2 program_order:2"}));
  EXPECT_EQ(count(l.report, Unmatched::caller_later), 1U);
}

// Operators that are not in the profile take no time, and do not split operators that are.
TEST(LinkOperators, OperatorsWithoutATimeStandBehindTheStretchTheyFallInto) {
  Program p;
  const NodeId a = p.op(0, 1000, 2000, "a");
  const NodeId u = p.node({.id = 4, .name = "u", .caller = a, .rf_id = 90, .tid = 1});
  p.node({.id = 5, .name = "v", .caller = u, .rf_id = 91, .tid = 1});
  p.profile();
  const LinkedTrace l = p.link();
  EXPECT_EQ(shown(l.trace), (Lines{"2 a 1000-2000 <1 program_order:1", "3 u 2000-2000 <2 program_order:2",
                                   "4 v 2000-2000 <3 program_order:3"}));
  EXPECT_EQ(displaced(l.trace), Lines{});
}

TEST(LinkOperators, AnAnnotationOfTheProfileAloneIsTheCallerOfNoHostOperatorButOfItsLaunches) {
  Program p;
  p.event(0, 1000, 3000, "ProfilerStep#1");
  p.op(0, 1100, 1200, "a");
  p.call(0, 2000, 2100);
  p.device(7, 2200, 2300, "k");
  const LinkedTrace l = p.link();
  EXPECT_EQ(shown(l.trace)[1], "3 a 1100-1200 <2 program_order:2");
  const NodeId step = node_named(l.trace, "ProfilerStep#1").id;
  EXPECT_EQ(l.trace.nodes.ctrl_deps(node_named(l.trace, "k"))[0], step);
  EXPECT_EQ(l.report.span_ns, 2300U - 1100U);  // it only frames
}

TEST(LinkOperators, HostTracesAloneAreInProgramOrder) {
  Program p;
  p.node({.id = 20, .name = "b", .caller = 10, .rf_id = 1, .tid = 1});
  p.node({.id = 10, .name = "a", .caller = 2, .rf_id = 2, .tid = 1});
  p.node({.id = 30, .name = "other", .caller = 2, .rf_id = 3, .tid = 9});
  const LinkedTrace l = p.link_host();
  EXPECT_EQ(shown(l.trace), (Lines{"2 a 0-0 <1 program_order:1", "3 b 0-0 <2 program_order:2", "4 other 0-0 <1"}));
  EXPECT_EQ(find(l.trace.nodes.attributes(l.trace.nodes.nodes[2]), attr::start_nanos), nullptr);
}

TEST(LinkOperators, WhatTheProfilerSaysOtherwiseGetsANameOfItsOwn) {
  Program p;
  p.op(0, 1000, 2000, "a");
  p.args(p.profile().cpu_ops.back().args, {{"shape", "[1]"}}, {{"scope", 0}, {"fw_parent", 9}});
  const LinkedTrace l = p.link();
  const NodeTable& t = l.trace.nodes;
  const auto attrs = t.attributes(node_named(l.trace, "a"));
  EXPECT_EQ(int_value(attrs, attr::fw_parent).value, 0);
  EXPECT_EQ(int_value(attrs, Name("kineto:fw_parent")).value, 9);
  EXPECT_EQ(find(attrs, Name("kineto:scope")), nullptr);  // it is redundant
  EXPECT_EQ(string_value(t, attrs, Name("shape")), "[1]");
}

}  // namespace
}  // namespace convert::test
