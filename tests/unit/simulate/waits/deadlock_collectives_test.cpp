// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "common/error_text.h"
#include "simulate/report/report.h"
#include "unit/simulate/random_cases.h"
#include "unit/simulate/waits/waits.h"

namespace convert {
namespace {

using namespace test;

TEST(DeadlockOfCollectives, CollectivesInOtherOrder) {
  auto t = ranks(4);
  for (Rank r = 0; r < 4; ++r) {
    const bool swapped = r == 2;
    all_reduce(t[r], swapped ? 8 : 7, 64 * KiB);
    coll(t[r], swapped ? 7 : 8, Collective::all_gather, 16 * KiB);
  }
  const ReplayResult r = run_system(t, {});
  EXPECT_EQ(r.status, ReplayStatus::deadlock);
  const Lines lines = describe(r.waits, 0);
  EXPECT_EQ(
      lines[0],
      "rank 0 node 7 calls all_reduce of 64 KiB (number 0 of all ranks), which rank 2 has not called; the next "
      "such call of rank 2 is node 8");
  EXPECT_EQ(lines[4], "rank 0 node 8 waits for the communication resource, which node 7 holds");
  EXPECT_EQ(
      lines[2],
      "rank 2 node 7 calls all_gather of 16 KiB as number 0 of all ranks, where rank 0 node 7 calls all_reduce of "
      "64 KiB");
  EXPECT_EQ(advice(r), (Lines{"cycle of waits: 0:7 → 2:7 → 0:7",
                              "hint: make rank 2 node 7 (all_gather of 16 KiB) depend on node 8 (all_reduce of 64 "
                              "KiB), so that it comes second, as on rank 0: all ranks of a group must call its "
                              "collectives in the same order"}));
}

TEST(DeadlockOfCollectives, TheFirstRankHasTheOddOrder) {
  auto t = ranks(4);
  for (Rank r = 0; r < 4; ++r) {
    const bool swapped = r == 0;
    all_reduce(t[r], 1, swapped ? 2 * KiB : 1 * KiB);
    all_reduce(t[r], 2, swapped ? 1 * KiB : 2 * KiB, {1});
  }
  EXPECT_EQ(advice(t),
            (Lines{"cycle of waits: 0:1 → 1:1 → 0:1",
                   "hint: rank 0 node 2 (all_reduce of 1 KiB) must come before node 1 (all_reduce of 2 KiB), "
                   "as on rank 1: all ranks of a group must call its collectives in the same order"}));
}

TEST(DeadlockOfCollectives, CollectivesOfOtherSizes) {
  auto t = ranks(2);
  all_reduce(t[0], 3, 1 * KiB);
  all_reduce(t[1], 4, 2 * KiB);
  EXPECT_EQ(advice(t),
            (Lines{"cycle of waits: 0:3 → 1:4 → 0:3",
                   "hint: make rank 1 node 4 the same call as rank 0 node 3: comm_size 1024 instead of 2048"}));
}

TEST(DeadlockOfCollectives, NoSuchCallIsLeft) {
  auto t = ranks(3);
  for (Rank r = 0; r < 3; ++r) coll(t[r], 3, r == 0 ? Collective::all_reduce : Collective::all_gather, 1 * KiB);
  EXPECT_EQ(
      describe(run_system(t, {}).waits, 0)[0],
      "rank 0 node 3 calls all_reduce of 1 KiB (number 0 of all ranks), which rank 1 and 1 other rank have not "
      "called; rank 1 has no such call left");
  EXPECT_EQ(
      describe(run_system({t[0], t[1]}, {}).waits, 0)[0],
      "rank 0 node 3 calls all_reduce of 1 KiB (number 0 of all ranks), which rank 1 has not called; rank 1 has "
      "no such call left");
}

TEST(DeadlockOfCollectives, CollectivesOfOtherRootsAndDimensions) {
  auto t = ranks(2);
  for (Rank r = 0; r < 2; ++r) {
    add_node(t[r], NodeType::comm_coll, 3, {});
    t[r].nodes.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(Collective::broadcast));
    t[r].nodes.add_int(attr::comm_size, Kind::int64_val, 1000);
    t[r].nodes.add_int(attr::comm_src, Kind::int32_val, r);
    t[r].nodes.end_node();
  }
  EXPECT_EQ(
      describe(run_system(t, {.astra = false}).waits, 0)[0],
      "rank 1 node 3 calls broadcast of 1000 B (root rank 1) as number 0 of all ranks, where rank 0 node 3 calls "
      "broadcast of 1000 B (root rank 0)");
  t = ranks(2);
  for (Rank r = 0; r < 2; ++r) {
    add_node(t[r], NodeType::comm_coll, 3, {});
    t[r].nodes.add_int(attr::comm_type, Kind::int64_val, static_cast<std::int64_t>(Collective::all_reduce));
    t[r].nodes.add_int(attr::comm_size, Kind::int64_val, 1000);
    t[r].nodes.add_ints(attr::involved_dim, Kind::bool_list, std::vector<std::int64_t>{1, r});
    t[r].nodes.end_node();
  }
  const ReplayResult result = run_system(t, {});
  EXPECT_EQ(
      describe(result.waits, 0)[1],
      "rank 1 node 3 calls all_reduce of 1000 B (involved_dim [true, true]) as number 0 of all ranks, where rank "
      "0 node 3 calls all_reduce of 1000 B (involved_dim [true, false])");
  std::string json;
  append_json(result, json);
  EXPECT_NE(json.find(R"("with":"involved_dim [true, true]","in_place_of":{"npu":0,"node":3,"type":"all_reduce",)"
                      R"("bytes":1000,"with":"involved_dim [true, false]"}})"),
            std::string::npos)
      << json;
}

TEST(DeadlockOfCollectives, OneNpuByTheRulesOfAstraSim) {
  auto t = ranks(2);
  all_reduce(t[0], 3, 1 * KiB, {}, "1");
  const std::vector<CommGroup> groups = {{1, {0}}};
  EXPECT_EQ(run_system(t, {.groups = groups, .astra = false}).status, ReplayStatus::complete);
  const std::string error = error_message([&] { (void)run_system(t, {.groups = groups}); });
  EXPECT_NE(
      error.find(
          "the collective has one NPU and no dimension: it never ends by ASTRA-sim's rules; use --compat none"),
      std::string::npos)
      << error;
}

TEST(DeadlockOfCollectives, CollectivesOfOtherTypes) {
  auto t = ranks(3);
  for (Rank r = 0; r < 3; ++r) coll(t[r], 3, r == 0 ? Collective::all_gather : Collective::reduce_scatter, 3 * KiB);
  EXPECT_EQ(advice(t),
            (Lines{"cycle of waits: 0:3 → 1:3 → 0:3",
                   "hint: make rank 0 node 3 the same call as rank 1 node 3: comm_type reduce_scatter instead "
                   "of all_gather"}));
}

TEST(DeadlockOfCollectives, ACollectiveOnlyOneRankCalls) {
  auto t = ranks(3);
  for (Rank r = 0; r < 3; ++r) {
    if (r == 1) coll(t[r], 3, Collective::all_to_all, 3 * KiB);
    all_reduce(t[r], 4, 1 * KiB);
  }
  EXPECT_EQ(advice(t), (Lines{"cycle of waits: 0:4 → 1:3 → 0:4",
                              "hint: rank 0 never calls the all_to_all of 3 KiB of rank 1 node 3: "
                              "add it before node 4 (all_reduce of 1 KiB), or remove rank 1 node 3"}));
}

TEST(DeadlockOfCollectives, RankWithoutNodes) {
  auto t = ranks(4);
  for (const Rank r : {0U, 1U, 3U}) all_reduce(t[r], 0, 1 * KiB);
  const ReplayResult r = run_system(t, {});
  EXPECT_EQ(r.waits.waiting_total, 3U);
  EXPECT_EQ(describe(r.waits, 1),
            (Lines{"rank 0 node 0 calls all_reduce of 1 KiB (number 0 of all ranks), which rank 2 never calls",
                   "… 2 more waiting nodes, also on 2 other ranks",
                   "hint: the trace of rank 2 has no nodes: add the collectives of all ranks, first the all_reduce "
                   "of 1 KiB of rank 0 node 0"}));
}

TEST(DeadlockOfCollectives, MissingCall) {
  auto t = ranks(4);
  for (Rank r = 0; r < 4; ++r) {
    all_reduce(t[r], 0, 1 * KiB);
    if (r < 2) all_reduce(t[r], 1, 2 * KiB, {0});
  }
  const ReplayResult r = run_system(t, {});
  EXPECT_EQ(
      describe(r.waits, 1)[0],
      "rank 0 node 1 calls all_reduce of 2 KiB (number 1 of all ranks), which rank 2 and 1 other rank have not "
      "called; rank 2 never does");
  EXPECT_EQ(advice(r),
            (Lines{"hint: add the all_reduce of 2 KiB of all ranks to rank 2 and 1 other rank, which call 1 of "
                   "its collectives, or remove it from the ranks that call it (rank 0 node 1)"}));
}

TEST(DeadlockOfCollectives, WrongGroup) {
  auto t = ranks(4);
  const std::vector<CommGroup> groups = {{1, {0, 1}}, {2, {1, 2, 3}}};
  all_reduce(t[0], 5, 1 * KiB, {}, "1");
  all_reduce(t[1], 6, 1 * KiB, {}, "2");
  comp(t[2], 0, 1);
  comp(t[3], 0, 1);
  EXPECT_EQ(advice(t, {.groups = groups}),
            (Lines{"hint: rank 1 node 6 calls the same all_reduce of 1 KiB, but on group 2: set its pg_name to the "
                   "pg_name of rank 0 node 5, \"1\", or vice versa",
                   "hint: add the all_reduce of 1 KiB of group 2 to rank 2 and 1 other rank, which call 0 of its "
                   "collectives, or remove it from the ranks that call it (rank 1 node 6)"}));
}

TEST(DeadlockOfCollectives, TwoGroupsInOtherOrder) {
  auto t = ranks(3);
  const std::vector<CommGroup> groups = {{1, {0, 1}}, {2, {0, 1, 2}}};
  for (Rank r = 0; r < 2; ++r) {
    all_reduce(t[r], r == 0 ? 1 : 2, 1 * KiB, {}, "1");
    all_reduce(t[r], r == 0 ? 2 : 1, 2 * KiB, {}, "2");
  }
  all_reduce(t[2], 1, 2 * KiB, {}, "2");
  EXPECT_EQ(advice(t, {.groups = groups}),
            (Lines{"cycle of waits: 0:1 → 1:2 → 1:1 → 0:2 → 0:1",
                   "hint: rank 1 node 1 (all_reduce of 2 KiB) holds the resource that node 2 (all_reduce of 1 KiB) "
                   "needs: make node 1 depend on node 2, so that it comes second, as on rank 0"}));
}

TEST(DeadlockOfCollectives, CollectiveBeforeASend) {
  // After the collective, rank 0 sends a message that rank 1 requires before it.
  auto t = ranks(2);
  all_reduce(t[0], 0, 1 * KiB);
  send(t[0], 1, 1, 100, 0, {0});
  recv(t[1], 0, 0, 100);
  all_reduce(t[1], 1, 1 * KiB, {0});
  EXPECT_EQ(advice(t),
            (Lines{"cycle of waits: 0:0 → 1:1 → 1:0 → 0:1 → 0:0",
                   "hint: let rank 0 node 1 (send to rank 1) start before node 0 (all_reduce of 1 KiB) has "
                   "ended: remove the dependency of node 1 on node 0, and make node 0 depend on node 1, as both "
                   "need the same resource"}));
}

TEST(DeadlockOfCollectives, CollectiveHoldsTheResourceOfASend) {
  auto t = ranks(2);
  all_reduce(t[0], 0, 1 * KiB);
  send(t[0], 1, 1, 100);
  recv(t[1], 0, 0, 100);
  all_reduce(t[1], 1, 1 * KiB, {0});
  EXPECT_EQ(advice(t),
            (Lines{"cycle of waits: 0:0 → 1:1 → 1:0 → 0:1 → 0:0",
                   "hint: rank 0 node 0 (all_reduce of 1 KiB) holds the resource that node 1 (send to rank 1) "
                   "needs: make node 0 depend on node 1, so that it comes second"}));
}

TEST(DeadlockOfCollectives, OneCollectiveForWhichManyWait) {
  // A cycle over two ranks of sixteen, while all others wait in the collective.
  auto t = ranks(16);
  for (Rank r = 0; r < 16; ++r) {
    if (r == 9) recv(t[r], 0, 11, 100);
    if (r == 9) {
      all_reduce(t[r], 1, 16 * KiB, {0});
    } else {
      all_reduce(t[r], 1, 16 * KiB);
    }
    if (r == 11) send(t[r], 2, 9, 100, 0, {1});
  }
  EXPECT_EQ(advice(t),
            (Lines{"cycle of waits: 9:0 → 11:2 → 11:1 → 9:1 → 9:0",
                   "hint: let rank 11 node 2 (send to rank 9) start before node 1 (all_reduce of 16 KiB) has "
                   "ended: remove the dependency of node 2 on node 1, and make node 1 depend on node 2, as both "
                   "need the same resource"}));
}

// Custom algorithms.

TEST(DeadlockOfCollectives, CrossedReceivesInACustomAlgorithm) {
  auto t = ranks(2);
  for (Rank r = 0; r < 2; ++r) all_reduce(t[r], 5, 1 * KiB);
  auto own = ranks(2);
  for (Rank r = 0; r < 2; ++r) {
    recv(own[r], 0, 1 - r, 100);
    send(own[r], 1, 1 - r, 100, 0, {0});
  }
  // Without ASTRA-sim's rules, the messages of each collective are matched separately.
  for (const bool astra : {true, false}) {
    const ReplayResult r = run_system(t, {.all_reduce = own, .astra = astra});
    EXPECT_EQ(
        describe(r.waits, 0),
        (Lines{"rank 0 node 5 calls all_reduce of 1 KiB (number 0 of all ranks), whose algorithm waits for inner "
               "node 0",
               "rank 1 node 5 calls all_reduce of 1 KiB (number 0 of all ranks), whose algorithm waits for inner "
               "node 0",
               "rank 0 node 5 inner node 0 receives from rank 1 node 5 inner node 1 (tag 0, 100 bytes), which has "
               "not started",
               "rank 0 node 5 inner node 1 depends on inner node 0",
               "rank 1 node 5 inner node 0 receives from rank 0 node 5 inner node 1 (tag 0, 100 bytes), which has "
               "not started",
               "rank 1 node 5 inner node 1 depends on inner node 0",
               "cycle of waits: 0:5/0 → 1:5/1 → 1:5/0 → 0:5/1 → 0:5/0",
               "hint: let rank 1 node 5 inner node 1 (send to rank 0) start before inner node 0 (receive from rank "
               "0) has ended: remove the dependency of inner node 1 on inner node 0"}));
  }
}

TEST(DeadlockOfCollectives, CustomAlgorithmWithOtherSizes) {
  auto t = ranks(2);
  for (Rank r = 0; r < 2; ++r) {
    all_reduce(t[r], 5, 1 * KiB);
    all_reduce(t[r], 6, 1 * KiB, {5});
  }
  auto own = ranks(2);
  send(own[0], 7, 1, 100, 2);
  recv(own[1], 9, 0, 200, 2);
  for (const bool astra : {true, false}) {
    for (const bool rendezvous : {true, false}) {
      const test::Setup setup{.rendezvous = rendezvous, .all_reduce = own, .astra = astra};
      const Lines lines = describe(run_system(t, setup).waits, 0);
      EXPECT_NE(std::find(lines.begin(), lines.end(),
                          "rank 1 node 5 inner node 9 receives from rank 0 (tag 2, 200 bytes), which has no such "
                          "send left; one of 100 bytes with that tag is never received"),
                lines.end());
      EXPECT_EQ(
          lines.back(),
          "hint: give rank 1 node 5 inner node 9 and inner node 7 of rank 0 the same comm_size (200 and 100)");
    }
  }
}

TEST(DeadlockOfCollectives, CustomAlgorithmWithOtherTags) {
  auto t = ranks(2);
  for (Rank r = 0; r < 2; ++r) all_reduce(t[r], 5, 1 * KiB);
  auto own = ranks(2);
  send(own[0], 7, 1, 100, 2);
  recv(own[1], 9, 0, 100, 3);
  for (const bool astra : {true, false}) {
    EXPECT_EQ(
        advice(t, {.rendezvous = true, .all_reduce = own, .astra = astra}),
        (Lines{"hint: give rank 0 node 5 inner node 7 and inner node 9 of rank 1 the same comm_tag (2 and 3)"}));
  }
}

TEST(DeadlockOfCollectives, CustomAlgorithmWithoutTheSend) {
  auto t = ranks(2);
  for (Rank r = 0; r < 2; ++r) all_reduce(t[r], 5, 1 * KiB);
  auto own = ranks(2);
  comp(own[0], 0, 1);
  recv(own[1], 0, 0, 100, 2);
  EXPECT_EQ(
      advice(t, {.all_reduce = own}),
      (Lines{"hint: add a send to rank 1 (tag 2, 100 bytes) to rank 0 (to the custom algorithm), or remove rank 1 "
             "node 5 inner node 0"}));
}

TEST(DeadlockOfCollectives, CustomAlgorithmWithAnUnreceivedMessage) {
  auto t = ranks(2);
  for (Rank r = 0; r < 2; ++r) all_reduce(t[r], 5, 1 * KiB);
  auto own = ranks(2);
  send(own[0], 0, 1, 100, 2);
  comp(own[1], 0, 1);
  const ReplayResult r = run_system(t, {.all_reduce = own});
  EXPECT_EQ(r.status, ReplayStatus::unmatched);
  EXPECT_EQ(
      describe(r.waits, 0),
      (Lines{"the algorithm of a collective on rank 0 sends to rank 1 (tag 2, 100 bytes), which never receives it",
             "hint: add a receive from rank 0 (tag 2, 100 bytes) to rank 1, or remove the send of the custom "
             "algorithm"}));
}

Lines without_hints(const ReplayResult& r) {
  Lines lines = describe(r.waits, 0);
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("hint"); });
  return lines;
}

// The messages of a single collective are the same, whether they are matched separately from others or not.
TEST(DeadlockOfCollectives, RandomCustomAlgorithms) {
  int deadlocks = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    constexpr Rank n = 3;
    auto own = ranks(n);
    for (int i = 0; i < 6; ++i) {
      const auto from = static_cast<Rank>(random.in(0, n - 1));
      const Rank to = (from + static_cast<Rank>(random.in(1, n - 1))) % n;
      for (const Rank r : {from, to}) {
        if (random.once_in(12)) continue;
        const auto id = static_cast<NodeId>(10 * own[r].nodes.nodes.size() + 3);
        add_node(own[r], r == from ? NodeType::comm_send : NodeType::comm_recv, id, {});
        if (id > 3 && random.once_in(2)) own[r].nodes.add_data_dep(id - 10);
        own[r].nodes.add_int(r == from ? attr::comm_dst : attr::comm_src, Kind::int32_val, r == from ? to : from);
        own[r].nodes.add_int(attr::comm_size, Kind::int64_val, random.once_in(9) ? 200 : 100);
        own[r].nodes.add_int(attr::comm_tag, Kind::int32_val, random.in(0, 2));
        own[r].nodes.end_node();
      }
    }
    auto t = ranks(n);
    for (Rank r = 0; r < n; ++r) {
      if (own[r].nodes.nodes.empty()) comp(own[r], 0, 1);
      all_reduce(t[r], 5, 1 * KiB);
    }
    for (const bool rendezvous : {false, true}) {
      const ReplayResult astra = run_system(t, {.rendezvous = rendezvous, .all_reduce = own});
      const ReplayResult apart = run_system(t, {.rendezvous = rendezvous, .all_reduce = own, .astra = false});
      EXPECT_EQ(astra.status, apart.status);
      if (apart.status != ReplayStatus::deadlock) continue;
      ++deadlocks;
      // The near miss that a hint names is unspecified.
      EXPECT_EQ(without_hints(apart), without_hints(astra));
      EXPECT_FALSE(apart.waits.hints.empty());
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(deadlocks, 200);
}

TEST(DeadlockOfCollectives, CollectiveThatItsFirstRankDoesNotWaitFor) {
  auto own = ranks(2);
  send(own[0], 0, 1, 100, 2);
  recv(own[1], 0, 0, 100, 2);
  auto t = ranks(2);
  all_reduce(t[0], 5, 1 * KiB);
  comp(t[1], 0, 1);
  const ReplayResult never = run_system(t, {.all_reduce = own});
  EXPECT_EQ(never.status, ReplayStatus::unmatched);
  EXPECT_EQ(never.waits.unmatched_total, 1U);
  EXPECT_EQ(advice(never),
            (Lines{"hint: add the all_reduce of 1 KiB of all ranks to rank 1, which never calls it, or "
                   "remove it from the others (rank 0 node 5)"}));
  coll(t[1], 6, Collective::all_gather, 1 * KiB);
  const ReplayResult other = run_system(t, {.all_reduce = own});
  EXPECT_EQ(
      describe(other.waits, 0)[0],
      "rank 1 node 6 calls all_gather of 1 KiB as number 0 of all ranks, where rank 0 node 5 calls all_reduce of 1 "
      "KiB");
  EXPECT_EQ(advice(other),
            (Lines{"hint: make rank 1 node 6 the same call as rank 0 node 5: comm_type all_reduce instead "
                   "of all_gather, the same algorithm"}));
}

TEST(DeadlockOfCollectives, ManyNodesInOneCollectiveAreReportedInTime) {
  constexpr Rank n = 1000;
  auto t = ranks(n);
  for (Rank r = 0; r + 1 < n; ++r) {
    for (NodeId i = 0; i < 100; ++i) {
      if (i == 0) {
        all_reduce(t[r], i, 1 * KiB);
      } else {
        all_reduce(t[r], i, 1 * KiB, {i - 1});
      }
    }
  }
  comp(t[n - 1], 0, 1);
  const ReplayResult r = run_system(t, {});
  EXPECT_EQ(r.waits.waiting_total, (n - 1) * 100U);
  EXPECT_EQ(advice(r), (Lines{"hint: add the all_reduce of 1 KiB of all ranks to rank 999, which calls 0 of its "
                              "collectives, or remove it from the ranks that call it (rank 0 node 0)"}));
}

TEST(DeadlockOfCollectives, Json) {
  auto t = ranks(2);
  all_reduce(t[0], 3, 1 * KiB);
  all_reduce(t[0], 4, 1 * KiB);
  all_reduce(t[1], 4, 2 * KiB);
  std::string json;
  append_json(run_system(t, {}), json);
  EXPECT_NE(json.find(R"({"npu":0,"node":3,"collective":{"type":"all_reduce","bytes":1024,"group":0,"number":0,)"
                      R"("missing":1,"never_called_by":1}})"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"({"npu":0,"node":4,"resource":{"name":"communication","held_by":{"npu":0,"node":3}}})"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"({"npu":1,"node":4,"collective":{"type":"all_reduce","bytes":2048,"group":0,"number":0,)"
                      R"("in_place_of":{"npu":0,"node":3,"type":"all_reduce","bytes":1024}}})"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("cycle":[{"npu":0,"node":3},{"npu":1,"node":4}])"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("hints":["make rank 1 node 4 the same call as rank 0 node 3: )"), std::string::npos)
      << json;
}

}  // namespace
}  // namespace convert
