// SPDX-License-Identifier: MIT
#include "simulate/waits/deadlock.h"

#include <gtest/gtest.h>

#include "unit/simulate/waits/waits.h"

namespace convert {
namespace {

using namespace test;

TEST(Deadlock, ReceiveThatWasNeverSent) {
  auto t = ranks(2);
  recv(t[1], 0, 0, 100, 3);
  comp(t[1], 1, 1, {0});
  const ReplayResult r = run(t, ring2);
  EXPECT_EQ(r.status, ReplayStatus::deadlock);
  EXPECT_EQ(finish_ns(r, 0), 0);
  EXPECT_FALSE(r.npus[1].finish_ps);
  EXPECT_TRUE(r.waits.cycle.empty());
  EXPECT_EQ(describe(r.waits, 0),
            (Lines{"rank 1 node 0 receives from rank 0 (tag 3, 100 bytes), which has no such send",
                   "rank 1 node 1 depends on node 0",
                   "hint: add a send to rank 1 (tag 3, 100 bytes) to rank 0 (its trace has no nodes), or remove "
                   "rank 1 node 0"}));
}

TEST(Deadlock, OtherSizeIsNamed) {
  auto t = ranks(2);
  send(t[0], 0, 1, 99, 3);
  recv(t[1], 0, 0, 100, 3);
  const ReplayResult r = run(t, ring2);
  EXPECT_EQ(r.status, ReplayStatus::deadlock);
  EXPECT_EQ(describe(r.waits, 0),
            (Lines{"rank 1 node 0 receives from rank 0 (tag 3, 100 bytes), which has no such send left; one of 99 "
                   "bytes with "
                   "that tag is never received",
                   "rank 0 node 0 sends to rank 1 (tag 3, 99 bytes), which never receives it",
                   "hint: give rank 1 node 0 and rank 0 node 0 the same comm_size (100 and 99)"}));
}

TEST(Deadlock, CrossedReceives) {
  auto t = ranks(2);
  for (Rank r = 0; r < 2; ++r) {
    recv(t[r], 5, 1 - r, 100);
    send(t[r], 7, 1 - r, 100, 0, {5});
  }
  const ReplayResult r = run(t, ring2);
  EXPECT_EQ(r.status, ReplayStatus::deadlock);
  EXPECT_EQ(r.waits.cycle, (std::vector<NodeRef>{{0, 5}, {1, 7}, {1, 5}, {0, 7}}));
  EXPECT_EQ(describe(r.waits, 1),
            (Lines{"rank 0 node 5 receives from rank 1 node 7 (tag 0, 100 bytes), which has not started",
                   "… 3 more waiting nodes, also on 1 other rank", "cycle of waits: 0:5 → 1:7 → 1:5 → 0:7 → 0:5",
                   "hint: let rank 1 node 7 (send to rank 0) start before node 5 (receive from rank 0) has ended: "
                   "remove the dependency of node 7 on node 5"}));
}

TEST(Deadlock, FindsTheShortestCycle) {
  // A cycle of 4 ranks and one of 2, the second waiting for the first.
  auto t = ranks(4);
  for (Rank r = 0; r < 4; ++r) {
    recv(t[r], 0, (r + 3) % 4, 100, 1);
    send(t[r], 1, (r + 1) % 4, 100, 1, {0});
  }
  for (Rank r = 2; r < 4; ++r) {
    recv(t[r], 2, 5 - r, 100, 2);
    send(t[r], 3, 5 - r, 100, 2, {2});
  }
  const ReplayResult r = run(t, "fully_connected:4,bw=1GB/s");
  EXPECT_EQ(r.waits.cycle, (std::vector<NodeRef>{{2, 2}, {3, 3}, {3, 2}, {2, 3}}));
  ASSERT_EQ(r.waits.more_cycles.size(), 1U);
  EXPECT_EQ(r.waits.more_cycles[0],
            (std::vector<NodeRef>{{0, 0}, {3, 1}, {3, 0}, {2, 1}, {2, 0}, {1, 1}, {1, 0}, {0, 1}}));
}

TEST(Deadlock, TheFirstBlockedCallOfEachRankAndAllSeparateCirclesAreNamed) {
  auto t = ranks(4);
  for (Rank r = 0; r < 4; ++r) {
    comp(t[r], 0, 1);
    recv(t[r], 5, r ^ 1U, 100, 0, {0});
    recv(t[r], 6, r ^ 1U, 100, 9, {5});
    send(t[r], 7, r ^ 1U, 100, 0, {5});
    send(t[r], 8, r ^ 1U, 100, 9, {0});
  }
  const ReplayResult r = run(t, "ring:4,bw=1GB/s");
  const Lines lines = describe(r.waits, 20);
  for (Rank rank = 0; rank < 4; ++rank) {
    const std::string self = std::to_string(rank), other = std::to_string(rank ^ 1U);
    EXPECT_EQ(lines[rank], "rank " + self + " node 5 receives from rank " + other +
                               " node 7 (tag 0, 100 bytes), which has not started");
  }
  std::vector<std::string> cycles = advice(r);
  std::erase_if(cycles, [](const std::string& line) { return line.starts_with("hint"); });
  EXPECT_EQ(cycles,
            (Lines{"cycle of waits: 0:5 → 1:7 → 1:5 → 0:7 → 0:5", "cycle of waits: 2:5 → 3:7 → 3:5 → 2:7 → 2:5"}));
  EXPECT_EQ(describe(r.waits, 2)[2], "… 10 more waiting nodes, also on 2 other ranks");
}

TEST(Deadlock, CirclesAreBounded) {
  auto t = ranks(100);
  for (Rank r = 0; r < 100; ++r) {
    recv(t[r], 0, r ^ 1U, 100);
    send(t[r], 1, r ^ 1U, 100, 0, {0});
  }
  const ReplayResult r = run(t, "ring:100,bw=1GB/s");
  EXPECT_EQ(r.waits.more_cycles.size() + 1, WaitReport::max_cycles);
  EXPECT_EQ(r.waits.blocked.size(), 100U);
  const Lines lines = describe(r.waits, 20);
  EXPECT_EQ(lines.end()[-2], "… possibly more cycles");
}

TEST(Deadlock, DependencyCycleWithinARank) {
  auto t = ranks(2);
  comp(t[0], 0, 1);
  comp(t[0], 1, 1, {2});
  comp(t[0], 2, 1, {1});
  const ReplayResult r = run(t, ring2, NetworkModel::unaware, IssueMode::workload);
  EXPECT_EQ(r.status, ReplayStatus::deadlock);
  EXPECT_EQ(
      advice(r),
      (Lines{"cycle of waits: 0:1 → 0:2 → 0:1",
             "hint: remove the dependency of rank 0 node 1 on node 2: these nodes form a cycle of dependencies"}));
  EXPECT_EQ(r.npus[0].nodes_done, 1U);
}

TEST(Deadlock, UnmatchedSendsAreTheLastOfTheirChannel) {
  auto t = ranks(2);
  for (NodeId i = 0; i < 4; ++i) send(t[0], 10 + i, 1, 100);
  recv(t[1], 0, 0, 100);
  recv(t[1], 1, 0, 100);
  const ReplayResult r = run(t, ring2);
  EXPECT_EQ(r.status, ReplayStatus::unmatched);
  EXPECT_EQ(finish_ns(r, 0), 110);
  EXPECT_EQ(r.waits.unmatched_total, 2U);
  EXPECT_EQ(describe(r.waits, 1),
            (Lines{"rank 0 node 12 sends to rank 1 (tag 0, 100 bytes), which never receives it",
                   "… 1 more messages that are never received",
                   "hint: add a receive from rank 0 (tag 0, 100 bytes) to rank 1, or remove rank 0 node 12",
                   "hint: add a receive from rank 0 (tag 0, 100 bytes) to rank 1, or remove rank 0 node 13"}));
}

TEST(Deadlock, LongChainsAreReportedInTime) {
  // 200 ranks that wait in a cycle over 500 nodes each.
  auto t = ranks(200);
  for (Rank r = 0; r < 200; ++r) {
    recv(t[r], 0, (r + 199) % 200, 100);
    for (NodeId i = 1; i < 500; ++i) comp(t[r], i, 1, {i - 1});
    send(t[r], 500, (r + 1) % 200, 100, 0, {499});
  }
  const ReplayResult r = run(t, "ring:200,bw=1GB/s");
  EXPECT_EQ(r.waits.waiting_total, 200U * 501);
  EXPECT_EQ(r.waits.waiting.size(), WaitReport::max_listed);
  EXPECT_EQ(r.waits.cycle.size(), 200U * 501);
}

// Messages.

TEST(Deadlock, OtherTag) {
  auto t = ranks(2);
  send(t[0], 4, 1, 100, 7);
  recv(t[1], 5, 0, 100, 3);
  const ReplayResult r = run_system(t, {});
  EXPECT_EQ(
      describe(r.waits, 0)[0],
      "rank 1 node 5 receives from rank 0 (tag 3, 100 bytes), which has no such send left; one of that size with "
      "tag 7 is never received");
  EXPECT_EQ(advice(r), (Lines{"hint: give rank 1 node 5 and rank 0 node 4 the same comm_tag (3 and 7)"}));
}

TEST(Deadlock, OtherSource) {
  auto t = ranks(3);
  send(t[2], 4, 1, 100, 3);
  recv(t[1], 5, 0, 100, 3);
  comp(t[0], 0, 1);
  EXPECT_EQ(advice(t),
            (Lines{"hint: set comm_src of rank 1 node 5 to 2: rank 2 node 4 sends it a matching message"}));
}

TEST(Deadlock, OtherDestination) {
  auto t = ranks(3);
  send(t[0], 4, 2, 100, 3);
  recv(t[1], 5, 0, 100, 3);
  EXPECT_EQ(advice(t),
            (Lines{"hint: set comm_dst of rank 0 node 4 to 1: rank 1 node 5 receives a matching message"}));
}

TEST(Deadlock, OtherTagAndSize) {
  auto t = ranks(2);
  send(t[0], 4, 1, 200, 7);
  recv(t[1], 5, 0, 100, 3);
  EXPECT_EQ(advice(t), (Lines{"hint: if rank 1 node 5 and rank 0 node 4 match, give them the same comm_tag "
                              "(3 and 7) and comm_size (100 and 200)"}));
}

TEST(Deadlock, OneReceiveTooMany) {
  auto t = ranks(2);
  send(t[0], 0, 1, 100);
  recv(t[1], 5, 0, 100);
  recv(t[1], 6, 0, 100);
  EXPECT_EQ(advice(t), (Lines{"hint: add a send to rank 1 (tag 0, 100 bytes) to rank 0, or remove rank 1 node 6"}));
}

TEST(Deadlock, CircleOfThreeRanksOverOtherNodes) {
  auto t = ranks(3);
  for (Rank r = 0; r < 3; ++r) {
    recv(t[r], 0, (r + 2) % 3, 100);
    comp(t[r], 1, 1, {0});
    send(t[r], 2, (r + 1) % 3, 100, 0, {1});
  }
  EXPECT_EQ(advice(t),
            (Lines{"cycle of waits: 0:0 → 2:2 → 2:1 → 2:0 → 1:2 → 1:1 → 1:0 → 0:2 → 0:1 → 0:0",
                   "hint: let rank 2 node 2 (send to rank 0) start before node 0 (receive from rank 1) has ended: "
                   "remove the dependency of node 2 on node 1, or another one on the path to node 0"}));
}

TEST(Deadlock, WrongTagBehindACircle) {
  // The cycle can be broken, but the wrong tag keeps another node waiting.
  auto t = ranks(2);
  for (Rank r = 0; r < 2; ++r) {
    recv(t[r], 0, 1 - r, 100);
    send(t[r], 1, 1 - r, 100, 0, {0});
  }
  recv(t[0], 2, 1, 50, 8);
  send(t[1], 2, 0, 50, 9);
  EXPECT_EQ(advice(t),
            (Lines{"cycle of waits: 0:0 → 1:1 → 1:0 → 0:1 → 0:0",
                   "hint: let rank 1 node 1 (send to rank 0) start before node 0 (receive from rank 0) has "
                   "ended: remove the dependency of node 1 on node 0",
                   "hint: give rank 0 node 2 and rank 1 node 2 the same comm_tag (8 and 9)"}));
}

// Rendezvous.

TEST(Deadlock, RendezvousOfTwoSends) {
  // Eager messages would arrive.
  auto t = ranks(2);
  for (Rank r = 0; r < 2; ++r) {
    send(t[r], 0, 1 - r, 100);
    recv(t[r], 1, 1 - r, 100, 0, {0});
  }
  EXPECT_EQ(run_system(t, {}).status, ReplayStatus::complete);
  const ReplayResult r = run_system(t, {.rendezvous = true});
  EXPECT_EQ(describe(r.waits, 0),
            (Lines{"rank 0 node 0 sends to rank 1 node 1 (tag 0, 100 bytes), whose receive has not started",
                   "rank 1 node 0 sends to rank 0 node 1 (tag 0, 100 bytes), whose receive has not started",
                   "rank 0 node 1 depends on node 0", "rank 1 node 1 depends on node 0",
                   "cycle of waits: 0:0 → 1:1 → 1:0 → 0:1 → 0:0",
                   "hint: let rank 1 node 1 (receive from rank 0) start before node 0 (send to rank 0) has ended: "
                   "remove the dependency of node 1 on node 0"}));
}

TEST(Deadlock, RendezvousWithoutReceiver) {
  auto t = ranks(2);
  send(t[0], 0, 1, 100, 4);
  recv(t[1], 1, 0, 100, 5);
  const ReplayResult r = run_system(t, {.rendezvous = true});
  EXPECT_EQ(
      describe(r.waits, 0),
      (Lines{"rank 0 node 0 sends to rank 1 (tag 4, 100 bytes), which has no such receive left; one of that size "
             "with tag 5 never gets its message",
             "rank 1 node 1 receives from rank 0 (tag 5, 100 bytes), which has no such send left; one of that "
             "size with tag 4 is never received",
             "hint: give rank 0 node 0 and rank 1 node 1 the same comm_tag (4 and 5)"}));
}

TEST(Deadlock, RendezvousWithAnotherSize) {
  // The receiver's request contains no size, so the message is sent and then not received.
  auto t = ranks(2);
  send(t[0], 0, 1, 100, 4);
  recv(t[1], 1, 0, 120, 4);
  EXPECT_EQ(advice(t, {.rendezvous = true}),
            (Lines{"hint: give rank 1 node 1 and rank 0 node 0 the same comm_size (120 and 100)"}));
}

TEST(Deadlock, RendezvousWithoutAnyReceive) {
  auto t = ranks(2);
  send(t[0], 0, 1, 100, 4);
  comp(t[1], 1, 1);
  EXPECT_EQ(advice(t, {.rendezvous = true}),
            (Lines{"hint: add a receive from rank 0 (tag 4, 100 bytes) to rank 1, or remove rank 0 node 0"}));
}

TEST(Deadlock, RendezvousHoldsTheCommunicationResource) {
  // Rank 1 sends second the message that rank 0 receives first.
  auto t = ranks(2);
  send(t[0], 0, 1, 100, 1);
  recv(t[1], 0, 0, 100, 1, {2});
  send(t[1], 1, 0, 100, 2);
  send(t[1], 2, 0, 100, 3);
  recv(t[0], 1, 1, 100, 2, {2});
  recv(t[0], 2, 1, 100, 3);
  EXPECT_EQ(
      advice(t, {.rendezvous = true}),
      (Lines{"cycle of waits: 0:1 → 0:2 → 1:2 → 1:1 → 0:1",
             "hint: rank 1 node 1 (send to rank 0) holds the resource that node 2 (send to rank 0) needs: make "
             "node 1 depend on node 2, so that it comes second"}));
}

// Resources and rounds.

TEST(Deadlock, WhatAnInvalidNodeFreesRunsInTheEnd) {
  // Rank 0's send becomes ready while only its receive is active, which waits for rank 1's answer.
  auto t = ranks(2);
  recv(t[0], 0, 1, 100, 2);
  invalid(t[0], 1);
  invalid(t[0], 2, {1});
  send(t[0], 3, 1, 100, 1, {2});
  recv(t[1], 0, 0, 100, 1);
  send(t[1], 1, 0, 100, 2, {0});
  EXPECT_EQ(run_system(t, {}).status, ReplayStatus::complete);
}

// The report.

TEST(Deadlock, LongCirclesAreCut) {
  auto t = ranks(60);
  for (Rank r = 0; r < 60; ++r) {
    recv(t[r], 0, (r + 59) % 60, 100);
    send(t[r], 1, (r + 1) % 60, 100, 0, {0});
  }
  const ReplayResult r = run_system(t, {});
  const Lines lines = describe(r.waits, 1);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_TRUE(lines[2].ends_with(" → 36:0 → 35:1 → … 70 more → 0:0")) << lines[2];
}

}  // namespace
}  // namespace convert
