// SPDX-License-Identifier: MIT
// Rules peers, pairs and deadlock.
#include <gtest/gtest.h>

#include "sanitized.h"
#include "trace_builder.h"

namespace convert {
namespace {

using namespace test;

// Findings without their notes.
Lines headlines(Lines findings) {
  for (std::string& f : findings) f.resize(std::min(f.size(), f.find('\n')));
  return findings;
}

TEST(SetRules, ARingIsClean) {
  auto set = trace_builders(4);
  for (Rank r = 0; r < 4; ++r) {
    set[r].send(0, (r + 1) % 4, 0, 64).recv(1, (r + 3) % 4, 0, 64).send(2, (r + 1) % 4, 0, 32, {1});
    set[r].recv(3, (r + 3) % 4, 0, 32, {1});
  }
  EXPECT_EQ(findings(set, "peers,pairs,deadlock"), Lines{});
}

TEST(Peers, OutsideTheSetAndSelf) {
  auto set = trace_builders(2);
  set[0].send(7, 9, 0, 1).recv(8, 0, 0, 1);
  set[1].recv(3, 2, 0, 1).send(4, 1, 0, 1);
  EXPECT_EQ(findings(set, "peers"),
            (Lines{"t.0.et:@0x0: error: node 7: comm_dst is 9, but the set has the ranks 0 to 1 [peers]\n"
                   "t.0.et:@0x0: note: hint: are all ranks in the set?",
                   "t.0.et:@0x10: error: node 8: receives from its own rank 0 [peers]\n"
                   "t.0.et:@0x10: note: hint: a copy within a rank is a COMP node",
                   "t.1.et:@0x10: error: node 4: sends to its own rank 1 [peers]\n"
                   "t.1.et:@0x10: note: hint: a copy within a rank is a COMP node",
                   "t.1.et:@0x0: error: node 3: comm_src is 2, but the set has the ranks 0 to 1 [peers]\n"
                   "t.1.et:@0x0: note: hint: ranks count from 0; or is a rank missing from the set?"}));
  auto one = trace_builders(1);
  one[0].send(7, 1, 0, 1);
  EXPECT_EQ(headlines(findings(one, "peers")),
            Lines{"t.0.et:@0x0: error: node 7: comm_dst is 1, but the set has only rank 0 [peers]"});
}

TEST(Peers, RanksMustBeComplete) {
  std::vector<TraceBuilder> set;
  set.emplace_back(0);
  set.emplace_back(2);
  EXPECT_EQ(findings(set, "deadlock"), Lines{"t.2.et: error: rank 1 is missing from the set [peers]\n"
                                             "t.2.et: note: hint: the 2 traces of a set must be the ranks 0 to 1"});
}

TEST(Pairs, SendWithoutReceive) {
  auto set = trace_builders(2);
  set[0].send(1, 1, 5, 8).send(2, 1, 5, 8, {1}).send(3, 1, 6, 8);
  set[1].recv(9, 0, 5, 8);
  EXPECT_EQ(headlines(findings(set, "pairs")),
            (Lines{"t.0.et:@0x10: error: node 2: send to rank 1 with tag 5 has no receive: rank 0 has 2 such sends "
                   "(last: node 2), rank 1 has 1 receive (last: node 9) [pairs]",
                   "t.0.et:@0x20: error: node 3: send to rank 1 with tag 6 has no receive: rank 0 has 1 such send "
                   "(last: node 3), rank 1 has 0 receives [pairs]"}));
}

TEST(Pairs, ReceiveWithoutSend) {
  auto set = trace_builders(2);
  set[0].send(1, 1, 5, 8);
  set[1].recv(9, 0, 5, 8).recv(10, 0, 5, 8);
  EXPECT_EQ(headlines(findings(set, "pairs,deadlock")),
            Lines{"t.1.et:@0x10: error: node 10: receive from rank 0 with tag 5 has no send: "
                  "rank 0 has 1 such send (last: node 1), rank 1 has 2 receives (last: node 10) [pairs]"});
}

TEST(Pairs, SizesAreComparedInOrder) {
  auto set = trace_builders(2);
  set[0].send(1, 1, 0, 8).send(2, 1, 0, 16, {1});
  set[1].recv(1, 0, 0, 8).recv(2, 0, 0, 1, {1});
  EXPECT_EQ(
      headlines(findings(set, "pairs")),
      Lines{"t.0.et:@0x10: error: node 2: sends 16 bytes to rank 1 with tag 0, but its receive, node 2 of rank "
            "1, expects 1 byte [pairs]"});
}

// The last line of each finding.
Lines hints(Lines findings) {
  for (std::string& f : findings) f = f.substr(f.rfind("hint: ") + 6);
  return findings;
}

TEST(Pairs, WhatMayHaveBeenMeant) {
  auto tag = trace_builders(2);
  tag[0].send(1, 1, 3, 8);
  tag[1].recv(2, 0, 4, 8);
  EXPECT_EQ(hints(findings(tag, "pairs")),
            (Lines{"rank 1 node 2 receives from rank 0 with tag 4, which has no partner either; if they are "
                   "partners, give them the same comm_tag",
                   "rank 0 node 1 sends to rank 1 with tag 3, which has no partner either; if they are partners, "
                   "give them the same comm_tag"}));
  auto source = trace_builders(3);
  source[0].send(1, 1, 0, 8);
  source[1].recv(2, 2, 0, 8);
  EXPECT_EQ(
      hints(findings(source, "pairs")),
      (Lines{"rank 1 node 2 receives from rank 2 with tag 0, which has no partner either; should it receive from "
             "rank 0?",
             "rank 0 node 1 sends to rank 1 with tag 0, which has no partner either; should this one receive "
             "from rank 0?"}));
  auto destination = trace_builders(3);
  destination[0].send(1, 2, 0, 8);
  destination[1].recv(2, 0, 0, 8);
  EXPECT_EQ(
      hints(findings(destination, "pairs")),
      (Lines{"rank 0 node 1 sends to rank 2 with tag 0, which has no partner either; should it send to rank 1?",
             "rank 1 node 2 receives from rank 0 with tag 0, which has no partner either; should this one send "
             "to rank 1?"}));
  auto both_send = trace_builders(2);
  for (Rank r = 0; r < 2; ++r) both_send[r].send(1, 1 - r, 0, 8);
  EXPECT_EQ(hints(findings(both_send, "pairs")),
            (Lines{"rank 1 node 1 sends to rank 0 with tag 0, which has no partner either; should one of the two "
                   "receive?",
                   "rank 0 node 1 sends to rank 1 with tag 0, which has no partner either; should one of the two "
                   "receive?"}));
  auto none = trace_builders(2);
  none[0].send(1, 1, 0, 8);
  none[1].recv(1, 1, 5, 8);
  EXPECT_EQ(hints(findings(none, "pairs")),
            (Lines{"a receive is missing on rank 1, or there is an extra send on rank 0",
                   "a send is missing on rank 1, or there is an extra receive on rank 1"}));
}

TEST(Pairs, SizesCrosswise) {
  auto set = trace_builders(2);
  set[0].send(1, 1, 3, 8).send(2, 1, 3, 16, {1}).send(3, 1, 3, 24, {2});
  set[1].recv(1, 0, 3, 24).recv(2, 0, 3, 16, {1}).recv(3, 0, 3, 8, {2});
  EXPECT_EQ(findings(set, "pairs"),
            Lines{"t.0.et:@0x0: warning: node 1: sends 8 bytes to rank 1 with tag 3, but its receive, node 1 of "
                  "rank 1, expects 24 bytes [pairs]\n"
                  "t.0.et:@0x0: note: hint: node 3 of rank 1 expects that size: simulators, which also match by "
                  "size, pair them; MPI and NCCL, which match in order of issue, do not; order both sides alike, "
                  "or give each message its own comm_tag"});
  set[0].send(4, 1, 3, 8, {3});
  set[1].recv(4, 0, 3, 9, {3});
  EXPECT_EQ(hints(findings(set, "pairs")), Lines(3, "give both the same comm_size")) << "not by size either";
}

TEST(Pairs, OrderFollowsDependenciesNotTheFile) {
  auto set = trace_builders(2);
  set[0].send(2, 1, 0, 16, {1}).send(1, 1, 0, 8);
  set[1].recv(1, 0, 0, 8).recv(2, 0, 0, 16, {1});
  EXPECT_EQ(findings(set, "pairs"), Lines{});
}

TEST(Pairs, ChunksAreComparedWithoutSizes) {
  auto set = trace_builders(2);
  set[0].send(1, 1, 0, -1).set(attr::msg_chunk_cnt, 2);
  set[1].recv(1, 0, 0, -1).set(attr::msg_chunk_cnt, 3);
  EXPECT_EQ(
      headlines(findings(set, "pairs")),
      Lines{"t.0.et:@0x0: error: node 1: sends 2 chunks to rank 1 with tag 0, but its receive, node 1 of rank "
            "1, expects 3 chunks [pairs]"});
}

TEST(Deadlock, TwoRanksReceiveBeforeTheySend) {
  auto set = trace_builders(2);
  for (Rank r = 0; r < 2; ++r) set[r].comp(0).recv(1, 1 - r, 0, 8, {0}).send(2, 1 - r, 0, 8, {1}).comp(3, {2});
  EXPECT_EQ(findings(set, "pairs,deadlock"),
            Lines{"t.0.et:@0x10: error: deadlock 0:1 → 0:2 → 1:1 → 1:2 → 0:1 (rank:node; each waits for the "
                  "previous one) [deadlock]\n"
                  "t.0.et:@0x10: note: rank 0 node 1 'n' receives from rank 1 node 2 (tag 0, 8 bytes), which has "
                  "not started\n"
                  "t.0.et:@0x10: note: rank 1 node 1 'n' receives from rank 0 node 2 (tag 0, 8 bytes), which has "
                  "not started\n"
                  "t.0.et:@0x10: note: rank 0 node 2 'n' sends to rank 1 (tag 0, 8 bytes)\n"
                  "t.0.et:@0x10: note: rank 1 node 2 'n' sends to rank 0 (tag 0, 8 bytes)\n"
                  "t.0.et:@0x10: note: hint: let one of the ranks send before it receives"});
}

TEST(Deadlock, OnePerComponentAndShortest) {
  auto set = trace_builders(4);
  for (Rank r = 0; r < 4; ++r) {
    const Rank other = r ^ 1U;
    set[r].recv(1, other, 0, 8).comp(2, {1}).comp(3, {2}).send(4, other, 0, 8, {1, 3});
  }
  EXPECT_EQ(headlines(findings(set, "deadlock")),
            (Lines{"t.0.et:@0x0: error: deadlock 0:1 → 0:4 → 1:1 → 1:4 → 0:1 (rank:node; each waits for the "
                   "previous one) [deadlock]",
                   "t.2.et:@0x0: error: deadlock 2:1 → 2:4 → 3:1 → 3:4 → 2:1 (rank:node; each waits for the "
                   "previous one) [deadlock]"}));
}

TEST(Deadlock, ACycleInsideOneRankIsNotRepeated) {
  auto set = trace_builders(2);
  set[0].comp(1, {2}).comp(2, {1}).send(3, 1, 0, 8, {2});
  set[1].recv(1, 0, 0, 8).comp(2, {1});
  EXPECT_EQ(findings(set, "deadlock"), Lines{});
}

TEST(Deadlock, KthSendMeetsKthReceive) {
  // Rank 1 sends its first message only after the second receive: matching message k to receive k gives a cycle.
  auto set = trace_builders(2);
  set[0].send(1, 1, 0, 8).recv(2, 1, 0, 8).send(3, 1, 0, 8, {2});
  set[1].recv(1, 0, 0, 8).recv(2, 0, 0, 8, {1}).send(3, 0, 0, 8, {2});
  EXPECT_EQ(headlines(findings(set, "pairs,deadlock")),
            Lines{"t.0.et:@0x10: error: deadlock 0:2 → 0:3 → 1:2 → 1:3 → 0:2 (rank:node; each waits for the "
                  "previous one) [deadlock]"});
}

TEST(Deadlock, TwoGroupsInOppositeOrders) {
  auto set = trace_builders(3);
  const auto all_reduce = Collective::all_reduce;
  set[0].collective(1, all_reduce, 8, "1").comp(2, {1}).collective(3, all_reduce, 8, "2", {2});
  set[1].collective(1, all_reduce, 8, "2").collective(2, all_reduce, 8, "1", {1});
  set[2].comp(0);
  const Lines cycle = {
      "t.0.et:@0x0: error: deadlock 0:1 → 0:2 → 0:3 → 1:1 → 1:2 → 0:1 (rank:node; each waits for the previous one) "
      "[deadlock]\n"
      "t.0.et:@0x0: note: rank 0 node 1 'n' calls all_reduce of 8 B (number 0 of group 1), which rank 1 has not "
      "called; the next such call of rank 1 is node 2\n"
      "t.0.et:@0x0: note: rank 1 node 1 'n' calls all_reduce of 8 B (number 0 of group 2), which rank 0 has not "
      "called; the next such call of rank 0 is node 3\n"
      "t.0.et:@0x0: note: rank 0 node 3 'n' calls all_reduce of 8 B (number 0 of group 2)\n"
      "t.0.et:@0x0: note: rank 1 node 2 'n' calls all_reduce of 8 B (number 0 of group 1)\n"
      "t.0.et:@0x0: note: hint: ranks must run their common collectives in the same order, across all groups"};
  EXPECT_EQ(findings(set, "collectives,deadlock"), cycle);
  const GroupLists groups = {{"1", {0, 1}}, {"2", {1, 0}}};
  EXPECT_EQ(findings(set, "collectives,deadlock", &groups), cycle);
}

TEST(Deadlock, OfThreeGroupsEachPairIsInOrder) {
  auto set = trace_builders(3);
  for (Rank r = 0; r < 3; ++r) {
    const Rank next = (r + 1) % 3;  // group r has the ranks r and r + 1
    set[r].collective(1, Collective::barrier, -1, std::to_string(r + 1));
    set[next].collective(2, Collective::barrier, -1, std::to_string(r + 1), {1});
  }
  EXPECT_EQ(headlines(findings(set, "collectives,deadlock")),
            Lines{"t.0.et:@0x0: error: deadlock 0:1 → 0:2 → 2:1 → 2:2 → 1:1 → 1:2 → 0:1 (rank:node; each waits for "
                  "the previous one) [deadlock]"});
}

TEST(Deadlock, OppositeOrdersAreRightWhereNobodyWaits) {
  for (const Collective type : {Collective::broadcast, Collective::all_to_all}) {
    auto set = trace_builders(2);
    for (Rank r = 0; r < 2; ++r) {
      set[r].collective(1, type, 8, r == 0 ? "1" : "2");
      if (type == Collective::all_to_all) set[r].splits({8, 0}, {8, 0});
      set[r].collective(2, type, 8, r == 0 ? "2" : "1", {1});
      if (type == Collective::all_to_all) set[r].splits({0, 8}, {0, 8});
    }
    EXPECT_EQ(findings(set, "deadlock"), Lines{});
  }
}

TEST(Deadlock, OppositeOrdersWithoutADependencyAreAWarning) {
  auto set = trace_builders(2);
  const auto all_to_all = Collective::all_to_all;
  set[0].collective(1, all_to_all, 8, "1").collective(2, all_to_all, 8, "2");
  set[1].collective(1, all_to_all, 8, "2").collective(2, all_to_all, 8, "1");
  EXPECT_EQ(findings(set, "collectives,deadlock"),
            Lines{"t.0.et:@0x0: warning: deadlock is possible: 0:1 → 0:2 → 1:1 → 1:2 → 0:1 (rank:node; each waits "
                  "for the previous one) [deadlock]\n"
                  "t.0.et:@0x0: note: rank 0 node 1 'n' calls all_to_all of 8 B (number 0 of group 1), which rank "
                  "1 has not called; the next such call of rank 1 is node 2\n"
                  "t.0.et:@0x0: note: rank 1 node 1 'n' calls all_to_all of 8 B (number 0 of group 2), which rank "
                  "0 has not called; the next such call of rank 0 is node 2\n"
                  "t.0.et:@0x0: note: rank 0 node 2 'n' calls all_to_all of 8 B (number 0 of group 2)\n"
                  "t.0.et:@0x0: note: rank 1 node 2 'n' calls all_to_all of 8 B (number 0 of group 1)\n"
                  "t.0.et:@0x0: note: hint: without a dependency the lower id starts first; systems that run one "
                  "collective at a time, such as et-replay --compat astra and NCCL on one stream, wait forever; "
                  "use one order on all ranks"});
}

TEST(Deadlock, WhatStartsFirstFollowsDependenciesThenIds) {
  const auto barrier = Collective::barrier;
  for (const NodeId late : {NodeId{0}, NodeId{9}}) {
    // The first collective of group 1 waits for a node with a higher id: the collective of group 2 starts before
    // it.
    auto set = trace_builders(2);
    set[0].collective(1, barrier, -1, "1", late == 9 ? std::vector<NodeId>{9} : std::vector<NodeId>{});
    set[0].collective(2, barrier, -1, "2").comp(9);
    set[1].collective(1, barrier, -1, "1").collective(2, barrier, -1, "2");
    EXPECT_EQ(findings(set, "deadlock").size(), late == 9 ? 1U : 0U);
  }
  auto grid = trace_builders(4);  // rows, then columns, on all ranks
  for (Rank r = 0; r < 4; ++r)
    grid[r]
        .collective(1, barrier, -1, std::to_string(1 + r / 2))
        .collective(2, barrier, -1, std::to_string(3 + r % 2));
  EXPECT_EQ(findings(grid, "collectives,deadlock"), Lines{});
}

TEST(Deadlock, OfMessagesAndCollectivesTogether) {
  auto set = trace_builders(2);
  set[0].collective(1, Collective::all_reduce, 8).send(2, 1, 5, 8, {1});
  set[1].recv(1, 0, 5, 8).collective(2, Collective::all_reduce, 8, "0", {1});
  EXPECT_EQ(findings(set, "pairs,collectives,deadlock"),
            Lines{"t.0.et:@0x0: error: deadlock 0:1 → 0:2 → 1:1 → 1:2 → 0:1 (rank:node; each waits for the "
                  "previous one) [deadlock]\n"
                  "t.0.et:@0x0: note: rank 0 node 1 'n' calls all_reduce of 8 B (number 0 of all ranks), which "
                  "rank 1 has not called; the next such call of rank 1 is node 2\n"
                  "t.0.et:@0x0: note: rank 1 node 1 'n' receives from rank 0 node 2 (tag 5, 8 bytes), which has "
                  "not started\n"
                  "t.0.et:@0x0: note: rank 0 node 2 'n' sends to rank 1 (tag 5, 8 bytes)\n"
                  "t.0.et:@0x0: note: rank 1 node 2 'n' calls all_reduce of 8 B (number 0 of all ranks)\n"
                  "t.0.et:@0x0: note: hint: a collective of a rank must not depend on a message that another rank "
                  "sends after that collective"});
  // Every cycle is named, even if there are others.
  set[0].recv(3, 1, 6, 8).send(4, 1, 7, 8, {3});
  set[1].recv(3, 0, 7, 8).send(4, 0, 6, 8, {3});
  EXPECT_EQ(headlines(findings(set, "pairs,collectives,deadlock")),
            (Lines{"t.0.et:@0x0: error: deadlock 0:1 → 0:2 → 1:1 → 1:2 → 0:1 (rank:node; each waits for the "
                   "previous one) [deadlock]",
                   "t.0.et:@0x20: error: deadlock 0:3 → 0:4 → 1:3 → 1:4 → 0:3 (rank:node; each waits for the "
                   "previous one) [deadlock]"}));
}

TEST(Deadlock, CirclesOfOneKnotThatShareNoNode) {
  // Both wait for the first and the second message of the other; the second receives follow the first sends.
  auto set = trace_builders(2);
  for (Rank r = 0; r < 2; ++r) {
    set[r].recv(1, 1 - r, 1, 8).send(2, 1 - r, 1, 8, {1});
    set[r].recv(3, 1 - r, 2, 8, {2}).send(4, 1 - r, 2, 8, {3}).recv(5, 1 - r, 3, 8).comp(6, {5});
  }
  set[0].send(7, 1, 3, 8, {4});
  set[1].send(7, 0, 3, 8, {4});
  EXPECT_EQ(headlines(findings(set, "pairs,deadlock")),
            (Lines{"t.0.et:@0x0: error: deadlock 0:1 → 0:2 → 1:1 → 1:2 → 0:1 (rank:node; each waits for the "
                   "previous one) [deadlock]",
                   "t.0.et:@0x20: error: deadlock 0:3 → 0:4 → 1:3 → 1:4 → 0:3 (rank:node; each waits for the "
                   "previous one) [deadlock]"}));
}

TEST(Deadlock, NamesTheFirstBlockedCallOfEachRankOnce) {
  // Two cycles; the ranks after them wait in a collective of all for nodes that depend on the first cycle.
  auto set = trace_builders(13);
  for (Rank r = 0; r < 4; ++r)
    set[r].recv(1, r ^ 1U, 0, 8).send(2, r ^ 1U, 0, 8, {1}).collective(3, Collective::all_reduce, 8, "", {2});
  for (Rank r = 4; r < 13; ++r) set[r].comp(0).collective(3, Collective::all_reduce, 8, "", {0});
  const Lines found = findings(set, "deadlock");
  ASSERT_EQ(found.size(), 2U);
  const auto blocked = [](Rank r) {
    return "t.0.et:@0x0: note: rank " + std::to_string(r) +
           (r < 4 ? " node 1 'n' receives from rank " + std::to_string(r ^ 1U) +
                        " node 2 (tag 0, 8 bytes), which has not started\n"
                  : " node 3 'n' calls all_reduce of 8 B (number 0 of all ranks), which rank 0 and 3 other ranks "
                    "have "
                    "not called; the next such call of rank 0 is node 3\n");
  };
  std::string first =
      "t.0.et:@0x0: error: deadlock 0:1 → 0:2 → 1:1 → 1:2 → 0:1 (rank:node; each waits for the previous one) "
      "[deadlock]\n";
  for (Rank r = 0; r < 8; ++r) first += blocked(r);
  EXPECT_EQ(found[0], first +
                          "t.0.et:@0x0: note: … and 5 more ranks are blocked\n"
                          "t.0.et:@0x0: note: rank 0 node 2 'n' sends to rank 1 (tag 0, 8 bytes)\n"
                          "t.0.et:@0x0: note: rank 1 node 2 'n' sends to rank 0 (tag 0, 8 bytes)\n"
                          "t.0.et:@0x0: note: hint: let one of the ranks send before it receives");
  EXPECT_EQ(found[1],
            "t.2.et:@0x0: error: deadlock 2:1 → 2:2 → 3:1 → 3:2 → 2:1 (rank:node; each waits for the previous one) "
            "[deadlock]\n"
            "t.2.et:@0x0: note: rank 2 node 1 'n' receives from rank 3 (tag 0, 8 bytes)\n"
            "t.2.et:@0x0: note: rank 2 node 2 'n' sends to rank 3 (tag 0, 8 bytes)\n"
            "t.2.et:@0x0: note: rank 3 node 1 'n' receives from rank 2 (tag 0, 8 bytes)\n"
            "t.2.et:@0x0: note: rank 3 node 2 'n' sends to rank 2 (tag 0, 8 bytes)\n"
            "t.2.et:@0x0: note: hint: let one of the ranks send before it receives");
}

TEST(Deadlock, ManyCirclesAreBounded) {
  auto set = trace_builders(2);
  for (NodeId i = 0; i < 3000; i += 2) {
    for (Rank r = 0; r < 2; ++r) {
      const auto tag = static_cast<std::int64_t>(i);
      set[r].recv(i, 1 - r, tag, 8, i == 0 ? std::vector<NodeId>{} : std::vector<NodeId>{i - 1});
      set[r].send(i + 1, 1 - r, tag, 8, {i});
    }
  }
  const Lines found = findings(set, "deadlock");
  EXPECT_GE(found.size(), 100U);
  EXPECT_NE(found.back().find("there may be more cycles"), std::string::npos);
}

TEST(Deadlock, OfMessagesThatCouldBePairedOtherwiseIsAWarning) {
  // Rank 1 receives twice, in any order; it sends the message that rank 0 waits for after the receive with the
  // higher id.
  auto set = trace_builders(2);
  set[0].send(1, 1, 0, 8).recv(2, 1, 0, 8).send(3, 1, 0, 8, {2});
  set[1].recv(1, 0, 0, 8).recv(2, 0, 0, 8).send(3, 0, 0, 8, {2});
  const std::string cycle =
      "deadlock is possible: 0:2 → 0:3 → 1:2 → 1:3 → 0:2 (rank:node; each waits for the previous one) [deadlock]";
  EXPECT_EQ(headlines(findings(set, "pairs,deadlock")), Lines{"t.0.et:@0x10: warning: " + cycle});
  EXPECT_EQ(hints(findings(set, "pairs,deadlock")),
            Lines{"the order of issue decides which messages are matched here: order them by dependencies, "
                  "or give each message its own comm_tag"});
  // Ordered only through another node.
  auto ordered = trace_builders(2);
  ordered[0].send(1, 1, 0, 8).comp(4, {1}).recv(2, 1, 0, 8).send(3, 1, 0, 8, {2, 4});
  ordered[1].recv(1, 0, 0, 8).comp(4, {1}).recv(2, 0, 0, 8, {4}).send(3, 0, 0, 8, {2});
  EXPECT_EQ(headlines(findings(ordered, "pairs,deadlock")),
            Lines{"t.0.et:@0x20: error: deadlock 0:2 → 0:3 → 1:2 → 1:3 → 0:2 (rank:node; each waits for the "
                  "previous one) [deadlock]"});
  // Without an order of the sends, the second receive may match any send.
  auto sends = trace_builders(2);
  sends[0].send(1, 1, 0, 8).recv(2, 1, 0, 8).send(3, 1, 0, 8, {2});
  sends[1].recv(1, 0, 0, 8).recv(2, 0, 0, 8, {1}).send(3, 0, 0, 8, {2});
  EXPECT_EQ(headlines(findings(sends, "pairs,deadlock")),
            Lines{"t.0.et:@0x10: error: deadlock 0:2 → 0:3 → 1:2 → 1:3 → 0:2 (rank:node; each waits for the "
                  "previous one) [deadlock]"})
      << "both sends are needed";
}

// Earlier calls that are ancestors do not make a match certain: a later call without an order can replace it.
TEST(Deadlock, OfCollectivesThatCouldMeetOtherwiseIsAWarning) {
  const auto all_reduce = Collective::all_reduce;
  auto set = trace_builders(2);
  set[0].collective(1, all_reduce, 8).collective(2, all_reduce, 8, "", {1}).collective(3, all_reduce, 8, "", {1});
  set[0].send(4, 1, 0, 8, {2});
  set[1].collective(1, all_reduce, 8).recv(0, 0, 0, 8).collective(2, all_reduce, 8, "", {0, 1});
  set[1].collective(3, all_reduce, 8, "", {1});
  EXPECT_EQ(headlines(findings(set, "collectives,deadlock")),
            Lines{"t.0.et:@0x10: warning: deadlock is possible: 0:2 → 0:4 → 1:0 → 1:2 → 0:2 (rank:node; each waits "
                  "for the previous one) [deadlock]"});
  auto ordered = trace_builders(2);
  ordered[0].collective(1, all_reduce, 8).collective(2, all_reduce, 8, "", {1});
  ordered[0].collective(3, all_reduce, 8, "", {2}).send(4, 1, 0, 8, {2});
  ordered[1].collective(1, all_reduce, 8).recv(0, 0, 0, 8).collective(2, all_reduce, 8, "", {0, 1});
  ordered[1].collective(3, all_reduce, 8, "", {2});
  EXPECT_EQ(headlines(findings(ordered, "collectives,deadlock")),
            Lines{"t.0.et:@0x10: error: deadlock 0:2 → 0:4 → 1:0 → 1:2 → 0:2 (rank:node; each waits for the "
                  "previous one) [deadlock]"});
}

TEST(Deadlock, OfARecordingPointsToWhatTakesItOut) {
  auto set = trace_builders(2);
  for (Rank r = 0; r < 2; ++r) {
    set[r].recv(1, 1 - r, 0, 8);
    set[r].table().nodes.back().start_us = 5;
    set[r].send(2, 1 - r, 0, 8, {1});
  }
  EXPECT_NE(findings(set, "deadlock")[0].find("no dep_rules mark the dependencies that are order"),
            std::string::npos);
  for (TraceBuilder& b : set) b.comp(3, {2}).table().add_string(attr::dep_rules, "s");
  EXPECT_NE(findings(set, "deadlock")[0].find("use et-validate --fix or et-link --relax"), std::string::npos);
}

TEST(Deadlock, DeepSetsNeedNoStack) {
  auto set = trace_builders(2);
  constexpr NodeId count = test::rounds(300'000U);
  for (Rank r = 0; r < 2; ++r) {
    set[r].recv(0, 1 - r, 0, 8);
    for (NodeId i = 1; i < count; ++i) set[r].comp(i, {i - 1});
    set[r].send(count, 1 - r, 0, 8, {count - 1});
  }
  const Lines found = findings(set, "deadlock");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("more …"), std::string::npos);
}

}  // namespace
}  // namespace convert
