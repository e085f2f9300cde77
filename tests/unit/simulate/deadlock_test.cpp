// SPDX-License-Identifier: MIT
#include "simulate/deadlock.h"

#include <gtest/gtest.h>

#include "traces.h"

namespace convert {
namespace {

using namespace test;
using Lines = std::vector<std::string>;

constexpr const char* ring2 = "ring:2,bw=1GB/s,lat=10ns";

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
                   "rank 1 node 1 depends on node 0"}));
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
                   "rank 0 node 0 sends to rank 1 (tag 3, 99 bytes), which never receives it"}));
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
                   "… 3 more waiting nodes", "circle of waits: 0:5 → 1:7 → 1:5 → 0:7 → 0:5"}));
}

TEST(Deadlock, FindsTheShortestCycle) {
  // A circle of 4 ranks and one of 2, behind each other.
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
}

TEST(Deadlock, DependencyCycleWithinARank) {
  auto t = ranks(2);
  comp(t[0], 0, 1);
  comp(t[0], 1, 1, {2});
  comp(t[0], 2, 1, {1});
  const ReplayResult r = run(t, ring2, NetworkModel::unaware, IssueMode::workload);
  EXPECT_EQ(r.status, ReplayStatus::deadlock);
  EXPECT_EQ(r.waits.cycle, (std::vector<NodeRef>{{0, 1}, {0, 2}}));
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
                   "… 1 more messages that are never received"}));
}

TEST(Deadlock, LongChainsAreReportedInTime) {
  // 200 ranks that wait in a circle over 500 nodes each.
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

}  // namespace
}  // namespace convert
