// SPDX-License-Identifier: MIT
// link: reasons for a thread to wait: synchronisations, blocking copies, and other threads.
#include <gtest/gtest.h>

#include "link_builder.h"

namespace convert::test {
namespace {

// Effect of every synchronisation below: the thread is blocked until the kernel's end, and the edge records it.
class Synchronisation : public testing::TestWithParam<std::tuple<CallKind, bool>> {};
TEST_P(Synchronisation, TheTimeBlockedLeavesTheThread) {
  const auto [kind, told] = GetParam();
  Program p;
  p.op(0, 1000, 2000, "a");
  p.call(0, 1100, 1200);
  p.device(7, 1500, 3000, "k");
  p.call(0, 1300, 1310, CallKind::event_record);
  const std::int64_t record = p.last_correlation();
  p.op(0, 2000, 4000, "wait");
  p.call(0, 2100, 3500, kind);
  if (told) kind == CallKind::event_sync ? p.sync(-1, 7, record) : p.sync(7);
  p.op(0, 4000, 4100, "b");
  const LinkedTrace l = p.link();
  EXPECT_EQ(shown(l.trace),
            (Lines{"2 a 1000-1200 <1 program_order:1", "3 k 1500-3000 <2 launch:2 +300",
                   "4 [delay] 1200-2000 program_order:2", "5 wait 2000-2100 <1 program_order:4",
                   "6 [delay] 3000-4000 program_order:5 synchronisation:3", "7 b 4000-4100 <1 program_order:6"}));
  EXPECT_EQ(displaced(l.trace), Lines{});
  EXPECT_EQ(l.report.blocked_ns, 900U);
  EXPECT_EQ(count(l.report, Unmatched::synchronisation_unresolved), 0U);
}
INSTANTIATE_TEST_SUITE_P(All, Synchronisation,
                         testing::Combine(testing::Values(CallKind::stream_sync, CallKind::device_sync,
                                                          CallKind::event_sync),
                                          testing::Bool()));

// A node is shown as "6 [delay] 1600-2500 <1 program_order:5 +20": id, name, begin and end in ns; "<" and the node
// of a control dependency; the rule of a data dependency and its node; "+" and the start delay in ns.

TEST(LinkWaits, ASynchronisationOfNothingIsReportedOnlyIfNobodySaysOfWhat) {
  Program p;
  p.op(0, 1000, 2000, "a");
  p.call(0, 1100, 1200, CallKind::stream_sync);
  p.call(0, 1300, 1400, CallKind::stream_sync);
  p.sync(7);
  const LinkedTrace l = p.link();
  EXPECT_EQ(count(l.report, Unmatched::synchronisation_unresolved), 1U);
  EXPECT_EQ(l.report.blocked_ns, 0U);
}

TEST(LinkWaits, ADeviceSynchronisationWaitsForEveryStream) {
  Program p;
  p.op(0, 1000, 9000, "a");
  p.call(0, 1100, 1200);
  p.device(7, 1500, 3000, "k1");
  p.call(0, 1200, 1300);
  p.device(8, 1500, 4000, "k2");
  p.call(0, 1400, 4500, CallKind::device_sync);
  p.call(0, 4500, 4600, CallKind::device_sync);  // nothing new
  p.call(0, 5000, 5100);
  p.device(8, 6000, 6100, "k3");
  const LinkedTrace l = p.link();
  const auto lines = shown(l.trace);
  EXPECT_EQ(lines[5], "7 [delay] 4000-4500 <2 program_order:6 synchronisation:5 synchronisation:3");
  EXPECT_EQ(l.report.deps[static_cast<std::size_t>(DepRule::synchronisation)], 2U);
  EXPECT_EQ(displaced(l.trace), Lines{});
}

TEST(LinkWaits, ACopyThatItsCallWaitsForBlocks) {
  for (const CallKind kind : {CallKind::blocking, CallKind::other}) {
    Program p;
    p.op(0, 1000, 3000, "a");
    p.call(0, 1100, 2000, kind);
    p.device(7, 1300, 1900, "copy").kind = DeviceOpKind::memcpy;
    const LinkedTrace l = p.link();
    EXPECT_EQ(shown(l.trace), (Lines{"2 a 1000-1100 <1 program_order:1", "3 copy 1300-1900 <2 launch:2 +200",
                                     "4 [delay] 1900-3000 program_order:2 synchronisation:3"}));
    EXPECT_EQ(l.report.blocked_ns, 800U);
  }
}

TEST(LinkWaits, ABlockingCopyThatWaitsForItsStreamBlocksAllThatTime) {
  Program p;
  p.op(0, 1000, 9000, "a");
  p.call(0, 1100, 1200);
  p.device(7, 1300, 7000, "k");
  p.call(0, 2000, 8000, CallKind::blocking);
  p.device(7, 7100, 7900, "copy").kind = DeviceOpKind::memcpy;
  const LinkedTrace l = p.link();
  EXPECT_EQ(shown(l.trace),
            (Lines{"2 a 1000-1200 <1 program_order:1", "3 k 1300-7000 <2 launch:2 +100",
                   "4 [delay] 1200-2000 <2 program_order:2", "5 copy 7100-7900 <2 launch:4 stream_order:3 +100",
                   "6 [delay] 7900-9000 program_order:4 synchronisation:5"}));
  EXPECT_EQ(displaced(l.trace), Lines{});
}

TEST(LinkWaits, WhatAStreamCannotHaveDoneIsReported) {
  Program p;
  p.op(0, 10000, 12000, "a");
  p.call(0, 11000, 11100);
  p.device(7, 5000, 9000, "before its launch");
  p.call(0, 11200, 11300);
  p.device(7, 12000, 20000, "long");
  p.call(0, 11300, 11400);
  p.device(7, 15000, 16000, "inside");
  p.call(0, 11400, 11500);
  p.device(7, 19000, 21000, "a little early");  // clock differences
  const LinkedTrace l = p.link({.list_unmatched = true});
  EXPECT_EQ(count(l.report, Unmatched::kernel_before_launch), 1U);
  EXPECT_EQ(count(l.report, Unmatched::stream_overlap), 1U);
  std::vector<std::string> names;
  for (const LinkReport::Item& i : l.report.items) names.push_back(i.name);
  EXPECT_EQ(names, (Lines{"before its launch", "inside"}));
}

TEST(LinkWaits, AnOperationCannotEndAfterASynchronisationWithIt) {
  for (const CallKind kind : {CallKind::device_sync, CallKind::stream_sync}) {
    for (const std::int64_t end : {1'600'000'000, 900'000}) {
      Program p;
      p.op(0, 1000, 1'500'000, "a");
      p.call(0, 1100, 1200);
      p.device(7, 1500, end, "fmha");
      p.call(0, 2000, 500'000, kind);
      p.sync(7);
      p.call(0, 500'000, 600'000, kind);
      p.sync(7);
      const LinkedTrace l = p.link();
      const bool absurd = end > 1'000'000;
      EXPECT_EQ(count(l.report, Unmatched::duration_past_sync), absurd ? 1U : 0U);
      EXPECT_EQ(count(l.report, Unmatched::synchronisation_unresolved), absurd ? 0U : 2U);
    }
  }
}

TEST(LinkWaits, LaunchesWithoutAnOperationAreCounted) {
  Program p;
  const auto launch = [&](std::int64_t start, const char* name) {
    p.call(0, start, start + 10).name = p.profile().args.add_text(name);
  };
  p.op(0, 1000, 9000, "a");
  launch(1100, "cudaLaunchKernel");
  p.device(7, 1500, 1600, "k");
  launch(1200, "cudaLaunchKernelExC");
  launch(1250, "hipExtModuleLaunchKernel");
  launch(1300, "cudaMemcpyAsync");
  launch(2000, "cudaStreamBeginCapture");
  launch(2100, "cudaLaunchKernel");
  launch(2200, "cudaStreamEndCapture");
  launch(2300, "cudaLaunchKernel");
  const LinkedTrace l = p.link();
  EXPECT_EQ(count(l.report, Unmatched::launch_without_operation), 3U);
}

// A synchronisation that ends with the kernel, and a launch immediately after it: the launch waits too.
TEST(LinkWaits, WhatIsLaunchedRightBehindAWaitWaitsToo) {
  Program p;
  p.op(0, 1000, 5000, "a");
  p.call(0, 1000, 1100);
  p.device(7, 1100, 3000, "k1");
  p.call(0, 1100, 3000, CallKind::stream_sync);
  p.sync(7);
  p.call(0, 3000, 3000);
  p.device(8, 3000, 3500, "k2");
  for (const bool keep_gaps : {true, false}) {
    const LinkedTrace l = p.link({.keep_gaps = keep_gaps});
    const std::string end = keep_gaps ? "1100" : "3100";
    EXPECT_EQ(shown(l.trace)[2], "4 [delay] 3000-3000 <2 program_order:2 synchronisation:3");
    EXPECT_EQ(shown(l.trace)[3], "5 k2 3000-3500 <2 launch:4");
    EXPECT_EQ(shown(l.trace)[0], "2 a 1000-" + end + " <1 program_order:1");
  }
  EXPECT_EQ(displaced(p.link().trace), Lines{});
}

TEST(LinkWaits, ASynchronisationThatBeginsWithItsOperatorIsInside) {
  Program p;
  p.op(0, 1000, 1100, "a");
  p.call(0, 1000, 1100);
  p.device(7, 1500, 3000, "k");
  p.op(0, 1100, 4000, "item");
  p.call(0, 1100, 3500, CallKind::stream_sync);
  p.sync(7);
  const LinkedTrace l = p.link();
  EXPECT_EQ(shown(l.trace), (Lines{"2 a 1000-1100 <1 program_order:1", "3 k 1500-3000 <2 launch:2 +400",
                                   "4 item 1100-1100 <1 program_order:2",
                                   "5 [delay] 3000-4000 program_order:4 synchronisation:3"}));
  EXPECT_EQ(displaced(l.trace), Lines{});
}

TEST(LinkWaits, KernelsWithoutTimeAreOrderedByTheirCalls) {
  Program p;
  p.op(0, 1000, 9000, "a");
  p.call(0, 1100, 1200);
  const std::int64_t first = p.last_correlation();
  p.call(0, 1300, 1400);
  p.device(7, 2000, 2000, "second");
  p.device(7, 2000, 2000, "first").correlation = first;
  p.call(0, 1500, 3000, CallKind::stream_sync);
  p.sync(7);
  const LinkedTrace l = p.link();
  EXPECT_EQ(displaced(l.trace), Lines{});
  EXPECT_EQ(count(l.report, Unmatched::synchronisation_unresolved), 0U);
  const Node& second = node_named(l.trace, "second");
  EXPECT_EQ(l.trace.nodes.data_deps(second)[1], node_named(l.trace, "first").id);
  EXPECT_NE(shown(l.trace).back().find("synchronisation:" + std::to_string(second.id)), std::string::npos);
}

TEST(LinkWaits, TheBackwardPassIsHandedOverAndBack) {
  Program p(2);
  p.op(0, 1000, 2000, "forward");
  p.op(1, 2500, 3000, "backward1", {.forward_tid = 1});
  p.op(1, 3100, 4000, "backward2", {.forward_tid = 1});
  p.op(0, 4500, 5000, "step");
  const LinkedTrace l = p.link();
  EXPECT_EQ(shown(l.trace),
            (Lines{"2 forward 1000-2000 <1 program_order:1", "4 [delay] 2000-2500 program_order:2",
                   "5 backward1 2500-3000 <3 program_order:3 hand_over:4", "6 [delay] 3000-3100 program_order:5",
                   "7 backward2 3100-4000 <3 program_order:6", "8 [delay] 4000-4500 program_order:4 hand_over:7",
                   "9 step 4500-5000 <1 program_order:8"}));
  EXPECT_EQ(displaced(l.trace), Lines{});
  // The thread of the backward pass from the start to its work, the other thread until its end.
  EXPECT_EQ(l.report.blocked_ns, 1500U + 1500U);
}

// The same without a host trace: sequence numbers lead from "Fwd thread id" to the thread.
TEST(LinkWaits, AProfileAloneHasTheHandOversOfABackwardPass) {
  for (const bool arrows : {false, true}) {
    Program p(2);
    Profile::CpuOp& forward = p.event(0, 1000, 2000, "forward");
    if (!arrows) forward.sequence = 7, forward.forward_thread = 0;
    Profile::CpuOp& backward = p.event(1, 2500, 4000, "backward");
    if (!arrows) backward.sequence = 7, backward.forward_thread = 5;
    if (arrows) p.profile().arrows = {{3, 1000, 0, true}, {3, 2500, 1, false}};
    p.event(0, 4500, 5000, "step");
    const LinkedTrace l = convert::link(Trace{}, p.profile(), {}, {});
    EXPECT_EQ(
        shown(l.trace),
        (Lines{"0 forward 1000-2000", "1 [delay] 2000-2500 program_order:0", "2 backward 2500-4000 hand_over:1",
               "3 [delay] 4000-4500 program_order:1 hand_over:2", "4 step 4500-5000 program_order:3"}));
    EXPECT_EQ(int_of(l.trace, node_named(l.trace, "forward"), attr::tid, -1), arrows ? 1 : 5);
    EXPECT_EQ(int_of(l.trace, node_named(l.trace, "backward"), attr::tid, -1), arrows ? 2 : 1);
  }
}

TEST(LinkWaits, ACollectiveOfAHostBackendWaitsForItsCallAndIsWaitedFor) {
  Program p(2);
  p.op(0, 1000, 1200, "c10d::allreduce_");
  p.op(1, 1100, 3000, "gloo:all_reduce");
  p.op(0, 3100, 4000, "step");
  const LinkedTrace l = p.link();
  EXPECT_EQ(
      shown(l.trace),
      (Lines{"2 c10d::allreduce_ 1000-1100 <1 program_order:1",
             "4 gloo:all_reduce 1100-3000 <3 program_order:3 hand_over:2", "5 [delay] 1100-1200 program_order:2",
             "6 [delay] 3000-3100 program_order:5 hand_over:4", "7 step 3100-4000 <1 program_order:6"}));
}

TEST(LinkWaits, ACollectiveThatEndsWhileItsCallerComputesIsWaitedForLater) {
  Program p(2);
  p.op(0, 1000, 1100, "c10d::allreduce_");
  p.op(0, 1100, 1110, "c10d::allreduce_");
  p.op(1, 1200, 2000, "gloo:all_reduce");
  p.op(0, 1300, 2500, "compute");
  p.op(1, 2000, 4000, "gloo:all_reduce");
  p.op(0, 4000, 5000, "step");
  const LinkedTrace l = p.link();
  const Node& step = node_named(l.trace, "step");
  std::size_t waits = 0;
  for (const char rule : l.trace.nodes.string(*dep_rules_of(l.trace.nodes, step))) waits += rule == 'h' ? 1 : 0;
  EXPECT_EQ(waits, 2U) << testing::PrintToString(shown(l.trace));
  EXPECT_EQ(displaced(l.trace), Lines{});
}

TEST(LinkWaits, AnOperatorThatBeginsWithTheHandOverWaitsForItsEnd) {
  Program p(2);
  p.op(0, 1000, 2000, "forward");
  p.op(0, 2000, 5000, "loss.backward");
  p.op(1, 2000, 4000, "backward", {.forward_tid = 1});
  const LinkedTrace l = p.link();
  EXPECT_EQ(shown(l.trace),
            (Lines{"2 forward 1000-2000 <1 program_order:1", "4 loss.backward 2000-2000 <1 program_order:2",
                   "5 backward 2000-4000 <3 program_order:3 hand_over:2",
                   "6 [delay] 4000-5000 program_order:4 hand_over:5"}));
  EXPECT_EQ(displaced(l.trace), Lines{});
}

TEST(LinkWaits, EveryBurstIsHandedOver) {
  Program p(3);
  p.op(0, 1000, 2000, "forward");
  p.op(1, 2500, 3000, "backward1", {.forward_tid = 1});
  p.op(2, 2600, 3500, "backward2", {.forward_tid = 1});
  p.op(0, 4000, 5000, "forward2");
  p.op(1, 5500, 6000, "backward3", {.forward_tid = 1});
  p.op(0, 6100, 6200, "step");
  const LinkedTrace l = p.link();
  EXPECT_EQ(l.report.deps[static_cast<std::size_t>(DepRule::hand_over)], 6U);
  EXPECT_EQ(displaced(l.trace), Lines{});
  const auto deps = l.trace.nodes.data_deps(node_named(l.trace, "backward3"));
  ASSERT_EQ(deps.size(), 2U);
  EXPECT_EQ(start_of(l.trace, l.trace.nodes.nodes[deps[1]]), 5000);  // the delay after forward2
}

TEST(LinkWaits, IndependentThreadsGetNoHandOver) {
  Program p(2);
  p.op(0, 1000, 2000, "a");
  p.op(1, 1500, 2500, "loader");
  p.op(0, 3000, 4000, "b");
  const LinkedTrace l = p.link();
  EXPECT_EQ(l.report.deps[static_cast<std::size_t>(DepRule::hand_over)], 0U);
  EXPECT_EQ(displaced(l.trace), Lines{});
  EXPECT_EQ(l.report.blocked_ns, 0U);
}

TEST(LinkWaits, ABlockedThreadHandsNothingOver) {
  Program p(2);
  p.op(0, 1000, 5000, "a");
  p.call(0, 1000, 1100);
  p.device(7, 1500, 4000, "k");
  p.call(0, 1200, 4000, CallKind::stream_sync);
  p.sync(7);
  p.op(1, 2000, 3000, "backward", {.forward_tid = 1});
  const LinkedTrace l = p.link();
  EXPECT_EQ(displaced(l.trace), Lines{});
}

TEST(LinkWaits, ACallerOnAnotherThreadHoldsNothingUp) {
  Program p(2);
  const NodeId a = p.op(0, 1000, 5000, "a");
  p.op(1, 2000, 3000, "b", {.caller = a});
  const LinkedTrace l = p.link();
  EXPECT_EQ(displaced(l.trace), Lines{});
}
}  // namespace
}  // namespace convert::test
