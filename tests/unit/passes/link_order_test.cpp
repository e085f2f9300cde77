// SPDX-License-Identifier: MIT
// link: nodes, delays and dependencies by program order, launches, streams, process groups and data.
#include <gtest/gtest.h>

#include "link_builder.h"

namespace convert::test {
namespace {

// A node is shown as "6 [delay] 1600-2500 <1 program_order:5 +20": id, name, begin and end in ns; "<" and the node
// of a control dependency; the rule of a data dependency and its node; "+" and the start delay in ns.

TEST(LinkOrder, GapsBetweenAndInsideOperatorsAreDelays) {
  Program p;
  const NodeId a = p.op(0, 1000, 2000, "a");
  p.op(0, 1100, 1300, "b", {.caller = a});
  p.op(0, 1500, 1600, "c", {.caller = a});
  p.op(0, 2500, 2600, "d");
  const LinkedTrace l = p.link();
  // The end of an operator and the following gap are one delay.
  EXPECT_EQ(shown(l.trace), (Lines{"2 a 1000-1100 <1 program_order:1", "3 b 1100-1300 <2 program_order:2",
                                   "4 [delay] 1300-1500 <2 program_order:3", "5 c 1500-1600 <2 program_order:4",
                                   "6 [delay] 1600-2500 program_order:5", "7 d 2500-2600 <1 program_order:6"}));
  EXPECT_EQ(displaced(l.trace), Lines{});
  EXPECT_EQ(l.report.cpu_delay_ns, 200U + 900U);
  EXPECT_EQ(l.report.delay_nodes, 2U);
  EXPECT_EQ(l.report.span_ns, 1600U);
}

TEST(LinkOrder, WithoutGapsAnOperatorHasItsExclusiveTime) {
  Program p;
  const NodeId a = p.op(0, 1000, 2000, "a");
  p.op(0, 1100, 1300, "b", {.caller = a});
  p.op(0, 2500, 2600, "d");
  const LinkedTrace l = p.link({.keep_gaps = false});
  EXPECT_EQ(shown(l.trace), (Lines{"2 a 1000-1800 <1 program_order:1", "3 b 1100-1300 <2 program_order:2",
                                   "4 d 2500-2600 <1 program_order:3"}));
  EXPECT_EQ(l.report.delay_nodes, 0U);
}

TEST(LinkOrder, CalleesMayBeginAndEndWithTheirCaller) {
  Program p;
  const NodeId a = p.op(0, 1000, 1100, "a");
  const NodeId b = p.op(0, 1000, 1010, "b", {.caller = a});
  p.op(0, 1000, 1000, "c", {.caller = b});
  p.op(0, 1100, 1100, "d", {.caller = a});
  p.op(0, 1100, 1200, "e");
  const LinkedTrace l = p.link({.keep_gaps = false});
  EXPECT_EQ(shown(l.trace), (Lines{"2 a 1000-1090 <1 program_order:1", "3 b 1000-1010 <2 program_order:2",
                                   "4 c 1000-1000 <3 program_order:3", "5 d 1100-1100 <2 program_order:4",
                                   "6 e 1100-1200 <1 program_order:5"}));
  EXPECT_EQ(displaced(p.link().trace), Lines{});
}

TEST(LinkOrder, ALaunchCutsItsOperator) {
  Program p;
  p.op(0, 1000, 2000, "a");
  p.call(0, 1100, 1200);
  p.device(7, 1500, 1800, "k1");
  p.call(0, 1300, 1400);
  p.device(7, 1900, 1950, "k2");
  const LinkedTrace l = p.link();
  EXPECT_EQ(shown(l.trace),
            (Lines{"2 a 1000-1200 <1 program_order:1", "3 k1 1500-1800 <2 launch:2 +300",
                   "4 [delay] 1200-1400 <2 program_order:2", "5 k2 1900-1950 <2 launch:4 stream_order:3 +100",
                   "6 [delay] 1400-2000 program_order:4"}));
  EXPECT_EQ(displaced(l.trace), Lines{});
  EXPECT_EQ(l.report.launched_by_correlation, 2U);
  EXPECT_EQ(l.report.start_delay_ns, 400U);
}

// With whole microseconds, many ends and begins have equal times.
TEST(LinkOrder, ALaunchThatEndsWithItsOperatorIsOfThatOperator) {
  Program p;
  p.op(0, 1000, 2000, "a");
  p.call(0, 1500, 2000);
  p.device(7, 9000, 9100, "k");
  p.op(0, 2000, 3000, "b");
  const LinkedTrace l = p.link();
  EXPECT_EQ(shown(l.trace), (Lines{"2 a 1000-2000 <1 program_order:1", "3 k 9000-9100 <2 launch:2 +7000",
                                   "4 b 2000-3000 <1 program_order:2"}));
}

TEST(LinkOrder, ALaunchThatBeginsWithItsOperatorIsOfThatOperator) {
  Program p;
  p.op(0, 1000, 2000, "a");
  p.op(0, 2000, 3000, "b");
  p.call(0, 2000, 2000);
  p.device(7, 2000, 2100, "k");
  const LinkedTrace l = p.link();
  EXPECT_EQ(shown(l.trace), (Lines{"2 a 1000-2000 <1 program_order:1", "3 b 2000-2000 <1 program_order:2",
                                   "4 k 2000-2100 <3 launch:3", "5 [delay] 2000-3000 program_order:3"}));
}

TEST(LinkOrder, ACallWithoutTimeAtAnEndGoesWhereItsExternalIdSays) {
  for (const bool of_first : {true, false}) {
    Program p;
    p.op(0, 1000, 2000, "a");
    const std::int64_t first = p.last_rf();
    p.op(0, 2000, 3000, "b");
    p.call(0, 2000, 2000).external_id = of_first ? first : p.last_rf();
    p.device(7, 2000, 2100, "k");
    const Trace t = p.link().trace;
    const NodeId caller = t.nodes.ctrl_deps(node_named(t, "k"))[0];
    EXPECT_EQ(t.nodes.name(t.nodes.nodes[caller]), of_first ? "a" : "b");
  }
}

TEST(LinkOrder, AKernelThatBeginsBeforeItsCallEndsHangsOnThatMoment) {
  Program p;
  p.op(0, 1000, 2000, "a");
  p.call(0, 1100, 1500);
  p.device(7, 1200, 1300, "k");
  const LinkedTrace l = p.link();
  EXPECT_EQ(shown(l.trace), (Lines{"2 a 1000-1200 <1 program_order:1", "3 k 1200-1300 <2 launch:2",
                                   "4 [delay] 1200-2000 program_order:2"}));
}

TEST(LinkOrder, AGraphLaunchStartsAllItsKernels) {
  Program p;
  p.op(0, 1000, 2000, "a");
  p.call(0, 1100, 1200);
  p.device(9, 1700, 1800, "k3");
  p.device(7, 1300, 1400, "k1");
  p.device(7, 1400, 1500, "k2");
  const LinkedTrace l = p.link();
  EXPECT_EQ(shown(l.trace), (Lines{"2 a 1000-1200 <1 program_order:1", "3 k1 1300-1400 <2 launch:2 +100",
                                   "4 k2 1400-1500 <2 launch:2 stream_order:3", "5 k3 1700-1800 <2 launch:2 +500",
                                   "6 [delay] 1200-2000 program_order:2"}));
  EXPECT_EQ(l.report.launched_by_correlation, 3U);
}

TEST(LinkOrder, OperationsWithoutACallAreOfTheOperatorOfTheirExternalIdOrOfTheirTime) {
  Program p(2);
  p.op(0, 1000, 2000, "a");
  const std::int64_t a = p.last_rf();
  p.op(0, 2000, 3000, "b");
  p.op(1, 1000, 4000, "c");
  p.device(7, 2500, 2600, "named").external_id = a;
  p.device(8, 2700, 2800, "unnamed").external_id = 77;
  for (Profile::DeviceOp& d : p.profile().device_ops) d.correlation = 99;
  const LinkedTrace l = p.link({.list_unmatched = true});
  const auto caller = [&](std::string_view name) {
    return l.trace.nodes.name(l.trace.nodes.nodes[l.trace.nodes.ctrl_deps(node_named(l.trace, name))[0]]);
  };
  EXPECT_EQ(caller("named"), "a");
  EXPECT_EQ(caller("unnamed"), "b");
  EXPECT_EQ(displaced(l.trace), Lines{});
  EXPECT_EQ(count(l.report, Unmatched::kernel_by_external_id), 1U);
  EXPECT_EQ(count(l.report, Unmatched::kernel_by_time), 1U);
  ASSERT_EQ(l.report.items.size(), 2U);
  EXPECT_EQ(l.report.items[0].name, "named");
  EXPECT_EQ(l.report.items[1].name, "unnamed");
}

TEST(LinkOrder, AProfileOfTheDeviceAloneIsKept) {
  Program p(0);
  p.device(7, 1000, 1100, "k1").correlation = -1;
  p.device(7, 1200, 1300, "k2").correlation = -1;
  const LinkedTrace l = p.link();
  EXPECT_EQ(l.report.kernel_nodes, 2U);
  EXPECT_EQ(displaced(l.trace), Lines{});
}

// The device runs operations in the order of the calls on their streams, from any thread.
TEST(LinkOrder, StreamsOrderTheOperationsOfAllThreads) {
  Program p(2);
  p.op(0, 1000, 2000, "a");
  p.op(1, 1000, 2000, "b");
  p.call(0, 1100, 1500);
  p.device(7, 1600, 1700, "k1");
  p.call(1, 1200, 1300);
  p.device(7, 1800, 1900, "k2");
  p.call(1, 1310, 1320);
  p.device(8, 1400, 1500, "other");
  const LinkedTrace l = p.link();
  EXPECT_EQ(shown(l.trace),
            (Lines{"2 a 1000-1500 <1 program_order:1", "4 b 1000-1300 <3 program_order:3",
                   "5 [delay] 1300-1320 <4 program_order:4", "6 other 1400-1500 <4 launch:5 +80",
                   "7 k1 1600-1700 <2 launch:2 +100", "8 k2 1800-1900 <4 launch:4 stream_order:7 +100",
                   "9 [delay] 1500-2000 program_order:2", "10 [delay] 1320-2000 program_order:5"}));
  EXPECT_EQ(displaced(l.trace), Lines{});
}

TEST(LinkOrder, AStreamWaitsForAnEventOfAnother) {
  Program p;
  p.op(0, 1000, 5000, "a");
  p.call(0, 1100, 1200);
  p.device(7, 1500, 3000, "k1");
  p.call(0, 1300, 1310, CallKind::event_record);
  const std::int64_t record = p.last_correlation();
  p.call(0, 1320, 1330);
  p.device(7, 3000, 3500, "k2");
  p.call(0, 1400, 1410, CallKind::stream_wait);
  p.sync(8, 7, record);
  p.call(0, 1500, 1600);
  p.device(8, 3010, 3100, "k3");
  p.call(0, 1700, 1800);
  p.device(8, 3100, 3200, "k4");
  const LinkedTrace l = p.link();
  const auto lines = shown(l.trace);
  EXPECT_NE(std::find(lines.begin(), lines.end(), "7 k3 3010-3100 <2 launch:6 event:3 +10"), lines.end());
  EXPECT_NE(std::find(lines.begin(), lines.end(), "9 k4 3100-3200 <2 launch:8 stream_order:7"), lines.end());
  EXPECT_EQ(displaced(l.trace), Lines{});
  EXPECT_EQ(count(l.report, Unmatched::synchronisation_unresolved), 0U);
}

TEST(LinkOrder, WaitsThatTheTimesContradictAreReportedAndNotImposed) {
  Program p;
  p.op(0, 1000, 5000, "a");
  p.call(0, 1100, 1200);
  p.device(7, 1500, 3000, "k1");
  p.call(0, 1300, 1310, CallKind::event_record);
  const std::int64_t record = p.last_correlation();
  p.call(0, 1400, 1410, CallKind::stream_wait);
  p.sync(8, 7, record);
  p.call(0, 1500, 1600);
  p.device(8, 2000, 2100, "k2");
  p.call(0, 1700, 1710, CallKind::stream_wait);  // for an unknown event
  const LinkedTrace l = p.link();
  EXPECT_EQ(displaced(l.trace), Lines{});
  EXPECT_EQ(l.report.deps[static_cast<std::size_t>(DepRule::event)], 0U);
  EXPECT_EQ(count(l.report, Unmatched::synchronisation_unresolved), 2U);
}

TEST(LinkOrder, StreamsOfTheSameNumberOnTwoDevicesAreTwo) {
  Program p;
  p.op(0, 1000, 5000, "a");
  p.call(0, 1100, 1200);
  p.device(7, 1500, 3000, "k1").device = 1;
  p.call(0, 1200, 1300);
  p.device(7, 1400, 1500, "k2");
  p.call(0, 1300, 4000, CallKind::stream_sync);
  p.sync(7).device = 1;
  const LinkedTrace l = p.link();
  const auto lines = shown(l.trace);
  EXPECT_EQ(lines.back(), "6 [delay] 3000-5000 program_order:4 synchronisation:3");
  EXPECT_EQ(displaced(l.trace), Lines{});
}

TEST(LinkOrder, AnnouncementsOfProcessGroupsAreNoNodes) {
  Program p(2);
  p.op(0, 1000, 5000, "outer");
  const NodeId init = p.op(0, 2000, 3000, "## process_group:init ##");
  p.call(0, 2200, 2300);
  p.device(7, 2500, 2600, "k");
  p.op(0, 2400, 2800, "inner", {.caller = init});
  p.op(1, 1000, 2000, "## process_group:init ##");
  p.op(1, 2000, 3000, "a");
  p.op(1, 3000, 4000, "## process_group:init ##");
  const LinkedTrace l = p.link();
  EXPECT_EQ(l.report.metadata_left_out, 3U);
  EXPECT_EQ(l.report.metadata_nodes, 0U);
  for (const Node& n : l.trace.nodes.nodes) {
    EXPECT_NE(n.type, NodeType::metadata);
    EXPECT_EQ(l.trace.nodes.name(n).find("process_group"), std::string_view::npos);
  }
  EXPECT_EQ(displaced(l.trace), Lines{});
  // Dependents of a removed node depend on its dependencies, and its time belongs to the surrounding node.
  EXPECT_EQ(shown(l.trace), (Lines{"2 outer 1000-2300 <1 program_order:1", "4 [delay] 1000-2000 program_order:3",
                                   "5 a 2000-3000 <3 program_order:4", "6 k 2500-2600 <2 launch:2 +200",
                                   "7 [delay] 2300-2400 <2 program_order:2", "8 inner 2400-2800 <1 program_order:7",
                                   "9 [delay] 2800-5000 program_order:8", "10 [delay] 3000-4000 program_order:5"}));
}

TEST(LinkOrder, TheNodeOfProcessGroupsIsMetadataAndItsTimeADelay) {
  Program p;
  p.op(0, 1000, 2000, "## process_group:init ##");
  p.op(0, 2000, 3000, "a");
  const LinkedTrace l = p.link({.metadata_nodes = true});
  EXPECT_EQ(shown(l.trace), (Lines{"2 ## process_group:init ## 1000-1000 <1 program_order:1",
                                   "3 [delay] 1000-2000 program_order:2", "4 a 2000-3000 <1 program_order:3"}));
  EXPECT_EQ(node_named(l.trace, "## process_group:init ##").type, NodeType::metadata);
  EXPECT_EQ(l.report.metadata_nodes, 1U);
}

TEST(LinkOrder, DataDependenciesAreThoseOfTheLastWriter) {
  Program p;
  const auto with = [](std::string_view in, std::string_view out) {
    return HostOp{.inputs = in, .input_types = "['Tensor(float)']", .outputs = out};
  };
  p.op(0, 1000, 1200, "w", with("[]", "[[10, 11, 0, 4, 4, 'cuda:0']]"));
  p.call(0, 1050, 1100);
  p.device(7, 1300, 1400, "kw");
  p.op(0, 1200, 1500, "r", with("[[20, 11, 0, 4, 4, 'cuda:0']]", "[[30, 31, 0, 4, 4, 'cuda:0']]"));
  p.call(0, 1250, 1300);
  p.device(8, 1450, 1500, "kr");
  p.op(0, 1500, 1600, "race", with("[[20, 31, 0, 4, 4, 'cuda:0']]", "[]"));
  p.call(0, 1510, 1520);
  p.device(9, 1520, 1530, "ok");
  p.op(0, 1600, 1700, "early", with("[[20, 11, 0, 4, 4, 'cuda:0']]", "[]"));
  p.call(0, 1610, 1620);
  p.device(9, 1630, 1640, "k4");
  const LinkedTrace l = p.link({.data_deps = true});
  const auto id = [&](std::string_view name) { return std::to_string(node_named(l.trace, name).id); };
  const auto line = [&](std::string_view name) {
    for (const std::string& s : shown(l.trace)) {
      if (s.find(" " + std::string(name) + " ") != std::string::npos) return s;
    }
    return std::string();
  };
  EXPECT_NE(line("kr").find("data:" + id("kw") + " +50"), std::string::npos) << line("kr");
  EXPECT_NE(line("ok").find("data:" + id("kr")), std::string::npos) << line("ok");
  EXPECT_EQ(displaced(l.trace), Lines{});
  EXPECT_EQ(l.report.deps[static_cast<std::size_t>(DepRule::data)], 3U);
}

TEST(LinkOrder, ReductionLeavesOutWhatIsImplied) {
  Program p;
  p.op(0, 1000, 9000, "a");
  p.call(0, 1100, 1200);
  p.device(7, 1500, 3000, "k1");
  p.call(0, 1300, 3500, CallKind::stream_sync);
  p.sync(7);
  p.call(0, 4000, 4100);
  p.device(7, 4200, 4300, "k2");
  const LinkedTrace all = p.link(), reduced = p.link({.reduce = true});
  EXPECT_EQ(shown(all.trace)[4], "6 k2 4200-4300 <2 launch:5 stream_order:3 +100");
  EXPECT_EQ(shown(reduced.trace)[4], "6 k2 4200-4300 <2 launch:5 +100");
  EXPECT_EQ(all.report.deps[static_cast<std::size_t>(DepRule::stream_order)], 1U);
  EXPECT_EQ(reduced.report.deps[static_cast<std::size_t>(DepRule::stream_order)], 0U);
  EXPECT_EQ(shown(reduced.trace)[3], "5 [delay] 3000-4100 <2 program_order:4 synchronisation:3");
  EXPECT_EQ(displaced(reduced.trace), Lines{});
}

TEST(LinkOrder, TimesAreComparedWithTheResolutionOfTheirFile) {
  const auto unresolved = [](std::int64_t resolution_ns, std::int64_t begin) {
    Program p;
    p.op(0, 1000, 9000, "a");
    p.call(0, 1000, 2000);
    p.device(7, 2000, 5000, "k1");
    p.call(0, 2000, 3000, CallKind::event_record);
    const std::int64_t record = p.last_correlation();
    p.call(0, 3000, 4000, CallKind::stream_wait);
    p.sync(8, 7, record);
    p.call(0, 3000, 4000);
    p.device(8, begin, 6000, "k2");
    p.profile().resolution_ns = resolution_ns;
    return count(p.link().report, Unmatched::synchronisation_unresolved);
  };
  EXPECT_EQ(unresolved(1000, 4000), 0U);
  EXPECT_EQ(unresolved(1000, 3000), 1U);
  EXPECT_EQ(unresolved(1, 4000), 1U);
}

TEST(LinkOrder, ACallBehindTheRoundedEndOfTheOperatorThatItNamesIsInIt) {
  for (const std::int64_t resolution_ns : {1, 1000}) {
    Program p;
    p.op(0, 1000, 9000, "outer");
    p.op(0, 2000, 3000, "a");
    const std::int64_t a = p.last_rf();
    p.call(0, 4000, 5000).external_id = a;
    p.device(7, 6000, 7000, "k");
    p.profile().resolution_ns = resolution_ns;
    const LinkedTrace l = p.link();
    const Node& k = node_named(l.trace, "k");
    const Node& caller = l.trace.nodes.nodes.at(l.trace.nodes.ctrl_deps(k)[0]);
    EXPECT_EQ(l.trace.nodes.name(caller), resolution_ns == 1 ? "outer" : "a");
  }
}

TEST(LinkOrder, ADurationBeyondAllEventsAndLaterWorkOfItsStreamIsCut) {
  Program p;
  p.op(0, 1000, 1300, "a");
  p.call(0, 1000, 1050);
  p.device(7, 1100, 900'000'000, "long");
  p.call(0, 1100, 1150);
  p.device(7, 1400, 1500, "next");
  const LinkedTrace l = p.link();
  EXPECT_EQ(count(l.report, Unmatched::duration_impossible), 1U);
  EXPECT_EQ(duration_of(l.trace, node_named(l.trace, "long")), 300);
  EXPECT_EQ(l.report.span_ns, 500U);
  EXPECT_EQ(count(l.report, Unmatched::stream_overlap), 0U);
}

TEST(LinkOrder, KernelsOfOneGraphMayRunBesideEachOther) {
  Program p;
  p.op(0, 1000, 1300, "a");
  p.call(0, 1000, 1050);
  p.device(7, 1100, 9000, "long");
  p.device(7, 1400, 1500, "beside");
  const LinkedTrace l = p.link();
  EXPECT_EQ(count(l.report, Unmatched::duration_impossible), 0U);
  EXPECT_EQ(duration_of(l.trace, node_named(l.trace, "long")), 7900);
}

TEST(LinkOrder, TwoKernelsOfOneLaunchAreReported) {
  for (const bool named : {false, true}) {
    Program p(2);
    p.op(0, 1000, 2000, "a");
    const std::int64_t a = p.last_rf();
    Profile::Call& call = p.call(0, 1100, 1200);
    call.name = p.profile().args.add_text("hipLaunchKernel");
    call.external_id = a;
    p.device(7, 1300, 1400, "k1").external_id = a;
    p.op(1, 1000, 2000, "b");
    p.device(8, 1500, 1600, "k2").external_id = named ? p.last_rf() : a;
    const LinkedTrace l = p.link();
    EXPECT_EQ(count(l.report, Unmatched::launch_shared), named ? 0U : 1U);
    EXPECT_EQ(count(l.report, Unmatched::kernel_by_external_id), named ? 1U : 0U);
    const Node& k2 = node_named(l.trace, "k2");
    EXPECT_EQ(l.trace.nodes.name(l.trace.nodes.nodes.at(l.trace.nodes.ctrl_deps(k2)[0])), named ? "b" : "a");
  }
}

}  // namespace
}  // namespace convert::test
