// SPDX-License-Identifier: MIT
#include "simulate/engine/replay.h"

#include <gtest/gtest.h>

#include "common/replay_traces.h"
#include "simulate/report/report.h"
#include "unit/simulate/traces.h"

namespace convert {
namespace {

using namespace test;

// A workload without ASTRA-sim's rules.
ReplayResult run_physical(const std::vector<Trace>& traces) {
  ReplayOptions options;
  options.issue = IssueMode::workload;
  Diagnostics diagnostics;
  auto result = test::replay_traces(traces, net(ring2), options, diagnostics);
  EXPECT_TRUE(result);
  return std::move(result.value());
}

TEST(Replay, OneMessage) {
  auto t = ranks(2);
  send(t[0], 0, 1, 100);
  recv(t[1], 0, 0, 100);
  for (const NetworkModel model : {unaware, aware}) {
    const ReplayResult r = run(t, ring2, model);
    EXPECT_EQ(r.status, ReplayStatus::complete);
    EXPECT_EQ(r.model, model);
    EXPECT_EQ(r.total_ps, 110'000);
    EXPECT_EQ(finish_ns(r, 0), 110);
    EXPECT_EQ(finish_ns(r, 1), 110);
    EXPECT_EQ(r.npus[1].exposed_communication_ps, 110'000);
    EXPECT_EQ(r.npus[0].sends, 1U);
    EXPECT_EQ(r.npus[0].bytes_sent, 100);
    EXPECT_EQ(r.npus[1].sends, 0U);
  }
}

TEST(Replay, ReceiveEndsAtArrivalOrWhenPosted) {
  auto t = ranks(2);
  send(t[0], 0, 1, 100);
  comp(t[1], 0, 7);
  recv(t[1], 1, 0, 100, 0, {0});
  comp(t[1], 2, 1, {1});
  const ReplayResult r = run(t, ring2);
  EXPECT_EQ(finish_ns(r, 0), 110);
  EXPECT_EQ(finish_ns(r, 1), 8000);
}

TEST(Replay, ComputeOfZeroTakesANanosecond) {
  auto t = ranks(2);
  comp(t[0], 0, 0);
  comp(t[0], 1, 2, {0});
  const ReplayResult r = run(t, ring2);
  EXPECT_EQ(finish_ns(r, 0), 2001);
  EXPECT_EQ(r.npus[0].compute_ps, 2'001'000);
  EXPECT_EQ(finish_ns(r, 1), 0);  // has no nodes
}

TEST(Replay, DurationNanosIsExact) {
  auto t = ranks(2);
  add_node(t[0], NodeType::comp, 0, {});
  t[0].nodes.nodes.back().duration_us = 5;
  t[0].nodes.add_int(attr::duration_nanos, Kind::int64_val, 5250);
  t[0].nodes.end_node();
  EXPECT_EQ(finish_ns(run(t, ring2), 0), 5250);
}

TEST(Replay, AlgorithmIssuesEverythingAtOnceWorkloadHasSlots) {
  auto t = ranks(2);
  send(t[0], 0, 1, 100);
  send(t[0], 1, 1, 200);
  comp(t[0], 2, 1);
  comp(t[0], 3, 1);
  comp(t[0], 4, 3, {}, true);
  recv(t[1], 0, 0, 100);
  recv(t[1], 1, 0, 200);
  const ReplayResult all = run(t, ring2);
  EXPECT_EQ(finish_ns(all, 1), 210);
  EXPECT_EQ(finish_ns(all, 0), 3000);
  EXPECT_EQ(all.npus[0].exposed_communication_ps, 0);  // compute hides the messages, CPU time hides none
  EXPECT_EQ(all.npus[0].astra_exposed_ps, 3'000'000);
  const ReplayResult slots = run(t, ring2, unaware, IssueMode::workload);
  EXPECT_EQ(finish_ns(slots, 1), 320);   // the second send waits for the first
  EXPECT_EQ(finish_ns(slots, 0), 3000);  // CPU time in addition to two consecutive computes
  EXPECT_EQ(slots.npus[0].compute_ps, 2'000'000);
  EXPECT_EQ(slots.npus[0].exposed_communication_ps, 1'000'000);  // by ASTRA-sim's rules
}

// It is part of the communication, and adds up with compute and idle time.
TEST(Replay, ExposedCommunicationIsWhatNothingHides) {
  for (const IssueMode issue : {IssueMode::algorithm, IssueMode::workload, IssueMode::unlimited}) {
    auto t = ranks(2);
    send(t[0], 0, 1, 1000);  // 1010 ns
    comp(t[0], 1, 1, {0});
    recv(t[1], 0, 0, 1000);
    comp(t[1], 1, 3);
    const ReplayResult r = run(t, ring2, unaware, issue);
    const NpuResult& sender = r.npus[0];
    EXPECT_EQ(sender.exposed_communication_ps, sender.times.communication);
    EXPECT_EQ(sender.exposed_communication_ps + sender.compute_ps, sender.finish_ps);
    EXPECT_EQ(r.npus[1].times.communication, 1'010'000);
    EXPECT_EQ(r.npus[1].exposed_communication_ps, 0);
  }
}

// Overlapping nodes compute longer than the replay takes.
TEST(Replay, ExposedCommunicationIsNeverNegative) {
  auto t = ranks(1);
  for (NodeId id = 0; id < 3; ++id) comp(t[0], id, 10);
  comp(t[0], 3, 4, {0}, true);
  ReplayOptions options;
  options.network.model = NetworkModel::wires;
  options.issue = IssueMode::unlimited;
  t.push_back(rank_trace(1));
  Diagnostics none;
  const ReplayResult both = test::replay_traces(t, net("ring:2,bw=1GB/s"), options, none).value();
  EXPECT_EQ(both.npus[0].compute_ps, 30'000'000);
  EXPECT_EQ(both.npus[0].exposed_communication_ps, 0);
  EXPECT_EQ(both.npus[0].astra_exposed_ps, -16'000'000);
  std::string out;
  append_astra(both, out);  // like ASTRA-sim's unsigned numbers
  EXPECT_NE(out.find("sys[0] finished, 14000 cycles, exposed communication 18446744073709535616 cycles."),
            std::string::npos)
      << out;
}

// One of two NPUs computes during the collective, and the other calls it late.
TEST(Replay, ExposedTimeOfACollective) {
  auto t = ranks(2);
  comp(t[0], 0, 5);
  all_reduce(t[0], 1, 20'000);
  comp(t[1], 0, 8);
  all_reduce(t[1], 1, 20'000, {0});
  ReplayOptions options;
  options.network.model = NetworkModel::wires;
  options.issue = IssueMode::workload;
  Diagnostics none;
  const ReplayResult r = test::replay_traces(t, net("ring:2,bw=1GB/s"), options, none).value();
  ASSERT_EQ(r.collectives.size(), 1U);
  const CollectiveResult& c = r.collectives[0];
  // From 8 µs on, NPU 1 sends half of the bytes twice, in four chunks each: NPU 0 has received the last one at 28
  // µs. NPU 1's share ends with the answer of NPU 0 to the last of its first four chunks, at 8 + 4 * 2.5 + 2.5 µs.
  EXPECT_EQ(c.end_ps, 28'000'000);
  EXPECT_EQ(c.exposed_max_ps, 23'000'000);
  EXPECT_EQ(c.exposed_mean_ps, (23'000'000 + 12'500'000) / 2);
}

TEST(Replay, WorkloadGivesTheSlotToTheLowestId) {
  auto t = ranks(2);
  comp(t[0], 1, 1);
  send(t[0], 5, 1, 100, 5);
  send(t[0], 3, 1, 100, 3, {1});
  send(t[0], 4, 1, 5000, 4);
  recv(t[1], 0, 0, 100, 3);
  recv(t[1], 1, 0, 100, 5);
  recv(t[1], 2, 0, 5000, 4);
  const ReplayResult r = run(t, ring2, unaware, IssueMode::workload, true);
  std::vector<std::pair<NodeId, Picoseconds>> begins;
  for (const Slice& s : r.timeline.slices) {
    if (s.lane == Lane::send) begins.emplace_back(s.node, s.begin_ps);
  }
  // 4 is the lowest at first; when it ends, 3 has become ready and precedes 5.
  EXPECT_EQ(begins, (std::vector<std::pair<NodeId, Picoseconds>>{{4, 0}, {3, 5'010'000}, {5, 5'120'000}}));
}

TEST(Replay, MatchesInOrderWithinTagSourceDestinationAndSize) {
  auto t = ranks(2);
  comp(t[0], 0, 1);
  send(t[0], 1, 1, 100, 7, {0});
  send(t[0], 2, 1, 100, 8, {0});
  recv(t[1], 0, 0, 100, 8);
  recv(t[1], 1, 0, 100, 7);
  EXPECT_EQ(run(t, ring2).status, ReplayStatus::complete);
}

TEST(Replay, TagsCountModuloInAstraSimOnly) {
  auto t = ranks(2);
  send(t[0], 0, 1, 100, 500'000'001);
  send(t[0], 1, 1, 100, 1, {0});
  recv(t[1], 0, 0, 100, 1);
  recv(t[1], 1, 0, 100, 500'000'001);
  EXPECT_EQ(finish_ns(run(t, ring2, unaware, IssueMode::workload), 1), 220);
  const ReplayResult r = run(t, ring2, unaware, IssueMode::algorithm, true);
  EXPECT_EQ(r.status, ReplayStatus::complete);
  for (const Slice& s : r.timeline.slices) {
    if (s.lane != Lane::recv) continue;
    EXPECT_EQ(s.end_ps, (s.node == 0 ? 220 : 110) * ps_per_ns);
  }
}

TEST(Replay, SecondMessageOfAChannelWaitsForItsOwnReceive) {
  auto t = ranks(2);
  send(t[0], 0, 1, 100);
  send(t[0], 1, 1, 100);
  recv(t[1], 0, 0, 100);
  comp(t[1], 1, 1);
  recv(t[1], 2, 0, 100, 0, {1});
  const ReplayResult r = run(t, ring2, aware);
  EXPECT_EQ(r.status, ReplayStatus::complete);
  EXPECT_EQ(finish_ns(r, 0), 210);
  EXPECT_EQ(finish_ns(r, 1), 1000);
}

TEST(Replay, InvalidNodesTakeNoTime) {
  auto t = ranks(2);
  add_node(t[0], NodeType::invalid, 0, {});
  t[0].nodes.end_node();
  comp(t[0], 1, 1, {0});
  add_node(t[0], NodeType::invalid, 2, {1});
  t[0].nodes.end_node();
  for (const IssueMode issue : {IssueMode::algorithm, IssueMode::workload}) {
    EXPECT_EQ(finish_ns(run(t, ring2, unaware, issue), 0), 1000);
  }
}

TEST(Replay, WorkloadChildrenOfInvalidNodesWaitForTheNextCompletion) {
  auto t = ranks(2);
  add_node(t[0], NodeType::invalid, 0, {});
  t[0].nodes.end_node();
  comp(t[0], 1, 2);
  send(t[0], 2, 1, 100, 0, {0});
  recv(t[1], 0, 0, 100);
  EXPECT_EQ(finish_ns(run(t, ring2, unaware, IssueMode::workload), 1), 2110);
  EXPECT_EQ(finish_ns(run(t, ring2, unaware, IssueMode::algorithm), 1), 110);
}

// … only in ASTRA-sim. Otherwise they start at once, also while other nodes wait for a resource.
TEST(Replay, InvalidNodesHoldNothingBack) {
  for (const NodeType type : {NodeType::invalid, NodeType::metadata}) {
    auto t = ranks(2);
    comp(t[0], 0, 100);
    comp(t[0], 1, 2, {}, true);
    add_node(t[0], type, 2, {1});
    t[0].nodes.end_node();
    send(t[0], 3, 1, 100, 0, {2});
    comp(t[0], 4, 50);
    recv(t[1], 0, 0, 100);
    const ReplayResult r = run_physical(t);
    EXPECT_EQ(finish_ns(r, 1), 2110);
    EXPECT_EQ(finish_ns(r, 0), 150'000);
  }
}

TEST(Replay, RecordedMemoryAccessesRunBesideMessages) {
  auto t = ranks(2);
  add_node(t[0], NodeType::mem_load, 0, {});
  t[0].nodes.nodes.back().duration_us = 4;
  t[0].nodes.end_node();
  send(t[0], 1, 1, 100);
  recv(t[1], 0, 0, 100);
  const ReplayResult r = run_physical(t);
  EXPECT_EQ(finish_ns(r, 0), 4000);
  EXPECT_EQ(finish_ns(r, 1), 110);
}

TEST(Replay, SelfMessageGoesThroughTheSwitch) {
  auto t = ranks(2);
  send(t[0], 0, 0, 100);
  recv(t[0], 1, 0, 100);
  EXPECT_EQ(finish_ns(run(t, "switch:2,bw=1GB/s,lat=10ns", aware), 0), 220);
}

// The end of a node finds its only child directly if the child is close after it.
TEST(Replay, OnlyChildMayStandFarBehindOrBefore) {
  for (const NodeId distance : {1U, 0xffffU, 0x10000U, 0x20001U}) {
    auto t = ranks(2);
    comp(t[0], 0, 3);
    for (NodeId id = 1; id < distance; ++id) comp(t[0], id, 0);
    comp(t[0], distance, 5, {0});
    const ReplayResult r = run(t, ring2);  // everything at once
    EXPECT_EQ(r.status, ReplayStatus::complete) << distance;
    EXPECT_EQ(finish_ns(r, 0), 8000) << distance;
  }
  auto t = ranks(2);
  comp(t[0], 0, 5, {1});
  comp(t[0], 1, 3);
  EXPECT_EQ(finish_ns(run(t, ring2), 0), 8000);
}

TEST(Replay, IdealNetworkTakesAnyNumberOfRanks) {
  auto t = ranks(3);
  send(t[0], 0, 2, 1 << 30);
  recv(t[2], 0, 0, 1 << 30);
  comp(t[2], 1, 3, {0});
  EXPECT_EQ(run(t, "ideal").total_ps, 3'000'000);
}

TEST(Replay, StopsAtUntil) {
  auto t = ranks(2);
  comp(t[0], 0, 1);
  comp(t[0], 1, 1, {0});
  ReplayOptions options;
  options.until = 1'500'000;
  Diagnostics d;
  const auto r = test::replay_traces(t, net(ring2), options, d);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->status, ReplayStatus::stopped);
  EXPECT_EQ(r->total_ps, 1'000'000);
  EXPECT_FALSE(r->npus[0].finish_ps);
  EXPECT_EQ(r->npus[0].nodes_done, 1U);
  options.until = 2'000'000;
  EXPECT_EQ(test::replay_traces(t, net(ring2), options, d)->status, ReplayStatus::complete);
}

TEST(Replay, ProgramCanRunAgain) {
  auto t = ranks(2);
  send(t[0], 0, 1, 100);
  recv(t[1], 0, 0, 100);
  Diagnostics d;
  ReplayBuilder builder(net(ring2), {}, d);
  for (const Trace& trace : t) builder.add(trace);
  auto program = builder.finish();
  ASSERT_TRUE(program);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(replay(*program).total_ps, 110'000);
}

TEST(Replay, OverflowingTimeIsAnError) {
  auto t = ranks(2);
  constexpr std::uint64_t hundred_days_us = 100ULL * 24 * 3600 * 1'000'000;
  comp(t[0], 0, hundred_days_us);
  comp(t[0], 1, hundred_days_us, {0});
  EXPECT_THROW((void)run(t, ring2), Error);
}

TEST(Replay, TimelineHasSlicesAndFlows) {
  auto t = ranks(2);
  comp(t[0], 0, 1);
  send(t[0], 1, 1, 100, 0, {0});
  send(t[0], 2, 1, 100, 0, {0});
  recv(t[1], 0, 0, 100);
  recv(t[1], 9, 0, 100, 0, {0});
  const ReplayResult r = run(t, ring2, unaware, IssueMode::algorithm, true);
  ASSERT_EQ(r.timeline.slices.size(), 5U);
  const auto slice = [&](Rank rank, NodeId node) {
    for (const Slice& s : r.timeline.slices) {
      if (s.rank == rank && s.node == node) return s;
    }
    ADD_FAILURE() << "no slice";
    return Slice{};
  };
  const Slice c = slice(0, 0);
  EXPECT_EQ(c.lane, Lane::compute);
  EXPECT_EQ(c.begin_ps, 0);
  EXPECT_EQ(c.end_ps, 1'000'000);
  EXPECT_EQ(r.timeline.name(c), "n0");
  EXPECT_EQ(c.flow, 0U);
  const Slice s = slice(0, 2);
  EXPECT_EQ(s.begin_ps, 1'000'000);
  EXPECT_EQ(s.end_ps, 1'110'000);
  EXPECT_EQ(s.bytes, 100);
  EXPECT_EQ(s.peer, 1);
  EXPECT_EQ(slice(0, 1).flow, slice(1, 0).flow);
  EXPECT_EQ(s.flow, slice(1, 9).flow);
  EXPECT_NE(s.flow, slice(0, 1).flow);
  EXPECT_TRUE(run(t, ring2).timeline.slices.empty());
}

TEST(Replay, TimelineShowsWhatIsUnderWayAtTheEnd) {
  auto t = ranks(2);
  comp(t[0], 0, 5);
  recv(t[1], 0, 0, 100);  // never sent
  ReplayOptions options;
  options.timeline = true;
  options.symmetry = false;
  for (const bool stops : {true, false}) {
    if (stops) options.until = 2'000'000;
    if (!stops) options.until.reset();
    Diagnostics diagnostics;
    const auto r = test::replay_traces(t, net(ring2), options, diagnostics);
    ASSERT_TRUE(r);
    EXPECT_EQ(r->status, stops ? ReplayStatus::stopped : ReplayStatus::deadlock);
    ASSERT_EQ(r->timeline.slices.size(), 2U);
    const Slice& waits = r->timeline.slices.back();
    EXPECT_EQ(waits.rank, 1U);
    EXPECT_EQ(waits.begin_ps, 0);
    EXPECT_EQ(waits.end_ps, stops ? 2'000'000 : 5'000'000);
    EXPECT_EQ(waits.bytes, 100);
    EXPECT_EQ(waits.flow, 0U);
    EXPECT_EQ(r->timeline.slices.front().end_ps, waits.end_ps);
  }
}

TEST(Replay, DoublingBandwidthIsNeverSlower) {
  for (const NetworkModel model : {unaware, aware}) {
    Picoseconds last = INT64_MAX;
    for (const char* network : {"ring:4,bw=1GB/s,lat=3ns", "ring:4,bw=2GB/s,lat=3ns", "ring:4,bw=4GB/s,lat=3ns"}) {
      auto t = ranks(4);
      for (Rank r = 0; r < 4; ++r) {
        for (Rank k = 1; k < 4; ++k) {
          send(t[r], 2 * k, (r + k) % 4, 1000 * k, k);
          recv(t[r], 2 * k + 1, (r + 4 - k) % 4, 1000 * k, k);
        }
      }
      const ReplayResult result = run(t, network, model);
      EXPECT_EQ(result.status, ReplayStatus::complete);
      EXPECT_LE(result.total_ps, last);
      last = result.total_ps;
    }
  }
}

}  // namespace
}  // namespace convert
