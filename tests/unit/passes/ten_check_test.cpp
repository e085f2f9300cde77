// SPDX-License-Identifier: MIT
// Rules R1 to R7 of schedules, each with its message and location.
#include <gtest/gtest.h>

#include "common/findings.h"
#include "passes/ten/check.h"
#include "passes/ten/retime.h"
#include "unit/passes/ten_builder.h"

namespace convert {
namespace {

using test::ring;
using test::ScheduleMaker;
using Time = Schedule::Time;

std::string schedule_findings(const Schedule& s) {
  Diagnostics diagnostics;
  Schedule timed;
  (void)check_schedule(s, timed, diagnostics);
  return test::findings_in_f(diagnostics);
}

// Three nodes in a cycle; node 0's chunk goes around.
ScheduleMaker chain_of_three() {
  ScheduleMaker m(Collective::broadcast, 3);
  m.wire(0, 1).wire(1, 2).chunk({0}, {});
  return m;
}

TEST(TenRules, NothingIsWrong) {
  EXPECT_EQ(schedule_findings(chain_of_three().move(0, 1, 0, 0, 1).move(1, 2, 0, 1, 2).s), "");
}

TEST(TenRules, R1EveryTransferHasAWire) {
  EXPECT_EQ(schedule_findings(chain_of_three().move(0, 1, 0, 0, 1).move(1, 2, 0, 1, 2).move(0, 2, 0, 2, 3).s),
            "3: error: transfer 2 (chunk 0, 0->2): there is no link 0->2 [R1]\n"
            "3: warning: 1 transfer brings a copy to a node that already holds it; the first is transfer 2 (chunk "
            "0, 0->2) [R7]\n"
            "f:3: note: hint: use et-convert --repair to drop such copies and compute new times\n"
            "3: warning: 1 transfer starts after all chunks have reached their destinations; the first is transfer "
            "2 (chunk 0, "
            "0->2) [R7]");
}

TEST(TenRules, R2NoTransferIsFasterThanItsWire) {
  ScheduleMaker m(Collective::broadcast, 2);
  m.wire(0, 1, 0.5).chunk({0}, {});
  ScheduleMaker slow = m;
  ScheduleMaker edge = m;
  EXPECT_EQ(schedule_findings(m.move(0, 1, 0, 0, 1.4).s),
            "1: error: transfer 0 (chunk 0, 0->1) takes 1.4 µs, less than the 1.5 µs that its link requires [R2]");
  EXPECT_EQ(schedule_findings(slow.move(0, 1, 0, 0, 9).s), "") << "idle is allowed";
  EXPECT_EQ(schedule_findings(edge.move(0, 1, 0, 0, 1.499999).s), "")
      << "a picosecond less is the rounding of files";
}

TEST(TenRules, R2ChunksHaveSizesOfTheirOwn) {
  ScheduleMaker m(Collective::broadcast, 2);
  m.wire(0, 1).chunk({0}, {}).chunk({0}, {});
  m.s.chunks[1].bytes = 2000;
  EXPECT_EQ(schedule_findings(m.move(0, 1, 0, 0, 1).move(0, 1, 1, 1, 2).s),
            "2: error: transfer 1 (chunk 1, 0->1) takes 1 µs, less than the 2 µs that its link requires [R2]");
}

TEST(TenRules, R2StepsAreAsLongAsTheyAre) {
  ScheduleMaker m(Collective::broadcast, 2);
  m.s.time = Time::steps;
  m.s.step_ps = 400'000;
  m.wire(0, 1).chunk({0}, {});
  ScheduleMaker three = m;
  EXPECT_EQ(schedule_findings(m.move(0, 1, 0, 0, 2).s),
            "1: error: transfer 0 (chunk 0, 0->1) takes 0.8 µs, less than the 1 µs that its link requires [R2]");
  EXPECT_EQ(schedule_findings(three.move(0, 1, 0, 0, 3).s), "");
}

TEST(TenRules, R3AWireCarriesOneAtATime) {
  ScheduleMaker m(Collective::broadcast, 2);
  m.wire(0, 1).chunk({0}, {}).chunk({0}, {});
  EXPECT_EQ(
      schedule_findings(m.move(0, 1, 0, 0, 1).move(0, 1, 1, 0.5, 1.5).s),
      "2: error: transfer 1 (chunk 1, 0->1) starts at 0.5 µs, while its link still carries transfer 0 (chunk 0, "
      "0->1) [R3]");
}

TEST(TenRules, R3LatencyIsPipelinedWithBeta) {
  ScheduleMaker m(Collective::broadcast, 2);
  m.s.occupancy = Schedule::Occupancy::beta;
  m.wire(0, 1, 3).chunk({0}, {}).chunk({0}, {});
  ScheduleMaker early = m;
  EXPECT_EQ(schedule_findings(m.move(0, 1, 0, 0, 4).move(0, 1, 1, 1, 5).s), "");
  EXPECT_EQ(
      schedule_findings(early.move(0, 1, 0, 0, 4).move(0, 1, 1, 0.9, 4.9).s),
      "2: error: transfer 1 (chunk 1, 0->1) starts at 0.9 µs, while its link still carries transfer 0 (chunk 0, "
      "0->1) [R3]");
}

TEST(TenRules, R3AStepHasRounds) {
  ScheduleMaker m(Collective::broadcast, 2);
  m.s.time = Time::steps;
  m.wire(0, 1, 0, 2).chunk({0}, {}).chunk({0}, {}).chunk({0}, {});
  m.move(0, 1, 0, 0, 1).move(0, 1, 1, 0, 1).move(0, 1, 2, 0, 1);
  EXPECT_EQ(schedule_findings(m.s),
            "3: error: transfer 2 (chunk 2, 0->1) exceeds at step 0 the capacity of its link (2) [R3]");
  m.s.wires[0].rounds = 0;
  EXPECT_EQ(schedule_findings(m.s), "");
  m.s.wires[0].rounds = 3;
  EXPECT_EQ(schedule_findings(m.s), "");
}

TEST(TenRules, R3LongTransfersKeepTheirRound) {
  ScheduleMaker m(Collective::broadcast, 2);
  m.s.time = Time::steps;
  m.wire(0, 1).chunk({0}, {}).chunk({0}, {});
  EXPECT_EQ(schedule_findings(m.move(0, 1, 0, 0, 3).move(0, 1, 1, 2, 3).s),
            "2: error: transfer 1 (chunk 1, 0->1) exceeds at step 2 the capacity of its link (1) [R3]");
  m.s.occupancy = Schedule::Occupancy::beta;
  EXPECT_EQ(schedule_findings(m.s), "");
}

TEST(TenRules, R3PositionsAreTakenOnce) {
  ScheduleMaker m(Collective::broadcast, 2);
  m.s.time = Time::order;
  m.wire(0, 1).chunk({0}, {}).chunk({0}, {});
  EXPECT_EQ(
      schedule_findings(m.move(0, 1, 0, 4, 0).move(0, 1, 1, 4, 0).s),
      "2: error: transfer 1 (chunk 1, 0->1) starts at position 4, while its link still carries transfer 0 (chunk "
      "0, 0->1) [R3]");
}

TEST(TenRules, R3VeryManyRoundsAreCheckedQuickly) {
  ScheduleMaker m(Collective::custom, 2);
  m.s.time = Time::steps;
  m.wire(0, 1, 0, 1'000'000'000).chunk({0}, {});
  for (int i = 0; i < 200'000; ++i) m.move(0, 1, 0, 0, 2'000'000'000);
  EXPECT_NE(schedule_findings(m.s).find("199999 transfers bring copies"), std::string::npos);
}

TEST(TenRules, R4TheSenderHoldsTheChunk) {
  EXPECT_EQ(schedule_findings(chain_of_three().move(0, 1, 0, 0, 1).move(1, 2, 0, 0.9, 2).s),
            "2: error: transfer 1 (chunk 0, 1->2) starts before node 1 holds the chunk [R4]");
}

TEST(TenRules, R4ASumIsGivenAway) {
  auto m = ring(Collective::reduce_scatter, 3);
  m.chunk({}, {2}).reduce(0, 1, 0, 0, 1).reduce(1, 2, 0, 1, 2).reduce(0, 2, 0, 1, 2);
  EXPECT_EQ(schedule_findings(m.s),
            "101: warning: 3 links are unused; the first is 1->0 [R7]\n"
            "3: error: transfer 2 (chunk 0, 0->2) starts after node 0 has passed its sum on [R4]");
}

TEST(TenRules, R4OrderThatNeverStarts) {
  auto m = ring(Collective::all_gather, 3);
  m.s.time = Time::order;
  m.chunk({0}, {}).move(1, 2, 0, 0, 0).move(2, 1, 0, 0, 0);
  const std::string all = schedule_findings(m.s);
  EXPECT_NE(all.find("1: error: transfer 0 (chunk 0, 1->2) never starts: node 1 waits for the chunk forever [R4]"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("2: error: transfer 1 (chunk 0, 2->1) never starts"), std::string::npos);
}

TEST(TenRules, R5SumsAreThereAndNotPassedOn) {
  auto m = ring(Collective::reduce_scatter, 3);
  m.chunk({}, {2}).reduce(1, 2, 0, 0, 1).reduce(0, 1, 0, 1, 2);
  EXPECT_EQ(schedule_findings(m.s),
            "101: warning: 4 links are unused; the first is 1->0 [R7]\n"
            "2: error: transfer 1 (chunk 0, 0->1) reduces into a chunk that node 1 has passed on [R5]\n"
            "200: error: chunk 0 at node 2 holds the contributions of nodes 1-2, not 0-2 [R6]");
  auto other = ring(Collective::reduce, 3);
  other.chunk({0, 1}, {1}).reduce(0, 2, 0, 0, 1);
  EXPECT_NE(schedule_findings(other.s).find(
                "1: error: transfer 0 (chunk 0, 0->2) reduces into a chunk that node 2 does not hold [R5]"),
            std::string::npos)
      << schedule_findings(other.s);
}

TEST(TenRules, R6ChunksArrive) {
  const std::string all = schedule_findings(chain_of_three().s);
  EXPECT_NE(all.find("200: error: chunk 0 does not reach node 1; 2 nodes lack it [R6]"), std::string::npos) << all;
  EXPECT_EQ(schedule_findings(chain_of_three().move(0, 1, 0, 0, 1).s),
            "101: warning: 1 link is unused; the first is 1->2 [R7]\n"
            "200: error: chunk 0 does not reach node 2 [R6]");
}

// All demands are met, but they differ from the collective's demands.
TEST(TenRules, R6DemandsAreThoseOfTheCollective) {
  ScheduleMaker m(Collective::all_to_all, 2);
  m.wire(0, 1).chunk({0}, {1}).move(0, 1, 0, 0, 1);
  EXPECT_EQ(schedule_findings(m.s),
            "200: error: no chunk goes from node 1 to node 0, which all_to_all requires [R6]");
  m.s.collective = Collective::custom;
  EXPECT_EQ(schedule_findings(m.s), "");
}

TEST(TenRules, R6SumsAreWhole) {
  ScheduleMaker m(Collective::all_reduce, 3);
  m.wire(1, 0).wire(2, 0).wire(0, 1).wire(0, 2).chunk({}, {});
  ScheduleMaker twice = m;
  EXPECT_EQ(schedule_findings(m.reduce(1, 0, 0, 0, 1).move(0, 1, 0, 1, 2).move(0, 2, 0, 1, 2).s),
            "101: warning: 1 link is unused; the first is 2->0 [R7]\n"
            "200: error: chunk 0 at node 0 holds the contributions of nodes 0-1, not 0-2 [R6]");
  EXPECT_EQ(schedule_findings(
                twice.reduce(1, 0, 0, 0, 1).move(0, 1, 0, 1, 2).reduce(1, 0, 0, 2, 3).reduce(2, 0, 0, 3, 4).s),
            "103: warning: 1 link is unused; the first is 0->2 [R7]\n"
            "200: error: chunk 0 at node 0 holds the contribution of node 1 twice [R6]")
      << "the copy that node 1 gives back";
}

// The cost of reductions must not grow with the square of the nodes: these would be a million sets of a million.
TEST(TenRules, R6SumsOfVeryManyNodesAreCheap) {
  constexpr std::uint32_t nodes = 200'000;
  ScheduleMaker m(Collective::reduce, nodes);
  std::vector<std::uint32_t> pre;
  for (std::uint32_t n = 0; n < nodes; ++n) (n % 2 == 0 ? pre : m.s.relays).push_back(n);
  m.chunk(pre, {0});
  for (std::uint32_t n = 2; n < nodes; n += 2) m.wire(n, 0).reduce(n, 0, 0, 0, 1);
  EXPECT_EQ(schedule_findings(m.s), "");
}

TEST(TenRules, R6NamesWhatIsMissingInBrief) {
  ScheduleMaker m(Collective::all_reduce, 1U << 20U);
  m.s.relays = {1, 5};
  for (int c = 0; c < 20'000; ++c) m.chunk({}, {});
  EXPECT_NE(schedule_findings(m.s).find(
                "200: error: chunk 0 at node 0 holds the contributions of nodes 0, not 0,2-4,6-1048575 [R6]"),
            std::string::npos)
      << schedule_findings(m.s).substr(0, 300);
}

TEST(TenRules, R7LateAndRedundantAndClaims) {
  ScheduleMaker m = chain_of_three();
  m.move(0, 1, 0, 0, 1).move(1, 2, 0, 1, 2).move(1, 2, 0, 2, 3);
  m.s.claimed_ps = 2'000'000;
  EXPECT_EQ(schedule_findings(m.s),
            "3: warning: 1 transfer brings a copy to a node that already holds it; the first is transfer 2 (chunk "
            "0, 1->2) [R7]\n"
            "f:3: note: hint: use et-convert --repair to drop such copies and compute new times\n"
            "3: warning: 1 transfer starts after all chunks have reached their destinations; the first is transfer "
            "2 (chunk 0, "
            "1->2) [R7]\n"
            "warning: claims to take 2 µs, 1 µs too little: the last transfer ends at 3 µs [R7]");
}

TEST(TenRules, RelaysNeedNothing) {
  ScheduleMaker m(Collective::broadcast, 3);
  m.s.relays = {1};
  m.wire(0, 1).wire(1, 2).chunk({0}, {});
  EXPECT_EQ(schedule_findings(m.move(0, 1, 0, 0, 1).move(1, 2, 0, 1, 2).s), "");
  EXPECT_EQ(size_of(m.s, m.s.chunks[0].post), 2U);
}

TEST(TenRetime, OrderBecomesTimes) {
  ScheduleMaker m = chain_of_three();
  m.s.time = Time::order;
  m.move(1, 2, 0, 0, 0).move(0, 1, 0, 0, 0);
  Diagnostics diagnostics;
  const Schedule timed = retime(m.s, diagnostics);
  EXPECT_EQ(diagnostics.all().size(), 0U);
  EXPECT_EQ(timed.time, Time::continuous);
  EXPECT_EQ(timed.transfers[0].start, 1'000'000);
  EXPECT_EQ(timed.transfers[0].end, 2'000'000);
}

// Node 1 reduces, sends its sum to node 0, and forwards the sum that returns, not its earlier one.
TEST(TenRetime, ASumThatComesBackIsWhatIsPassedOn) {
  ScheduleMaker m(Collective::all_reduce, 3);
  m.s.time = Time::order;
  m.wire(2, 1).wire(1, 0, 5).wire(0, 1).wire(1, 2).chunk({}, {}).chunk({}, {});
  for (std::uint32_t c = 0; c < 2; ++c) {  // chunk 1 leaves node 1 late: its link to node 0 is busy
    m.reduce(2, 1, c, c, 0).reduce(1, 0, c, c, 0).move(0, 1, c, c, 0).move(1, 2, c, 1 - c, 0);
  }
  EXPECT_EQ(schedule_findings(m.s), "");
}

TEST(TenRetime, RepairDropsWhatIsThere) {
  ScheduleMaker m = chain_of_three();
  m.move(0, 1, 0, 0, 1).move(0, 1, 0, 1, 2).move(1, 2, 0, 3, 4);
  Diagnostics diagnostics;
  Schedule timed;
  const Flow flow = check_schedule(m.s, timed, diagnostics);
  const Schedule repaired = repair(m.s, flow, diagnostics);
  ASSERT_EQ(repaired.transfers.size(), 2U);
  EXPECT_EQ(repaired.transfers[1].start, 1'000'000);
  EXPECT_EQ(schedule_findings(repaired), "");
}

TEST(TenRetime, AHopThatTakesLongerThanTimeItselfIsAnError) {
  ScheduleMaker m(Collective::broadcast, 16);
  m.s.time = Time::order;
  m.chunk({0}, {});
  for (std::uint32_t n = 0; n + 1 < 16; ++n) m.wire(n, n + 1, 1e12).move(n, n + 1, 0, 0, 0);
  Diagnostics diagnostics;
  EXPECT_THROW((void)retime(m.s, diagnostics), Error);
}

// Transfers in one step are ordered by id, independent of their order in the file.
TEST(TenFlow, TransfersOfAStepStandByTheirIds) {
  ScheduleMaker m(Collective::broadcast, 2);
  m.s.time = Time::steps;
  m.wire(0, 1, 0, 2).chunk({0}, {}).chunk({0}, {}).move(0, 1, 0, 0, 1).move(0, 1, 1, 0, 1);
  m.s.transfers[0].id = 5;
  Diagnostics diagnostics;
  const Flow flow = follow(m.s, diagnostics);
  EXPECT_EQ(flow.order, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(replayed_time(m.s, flow), 2'000'000);
}

// Two chunks go to node 1 together and separate there: one stays, the other is forwarded.
TEST(TenSets, TravelTogetherAndPart) {
  ScheduleMaker m(Collective::custom, 3);
  m.wire(0, 1).wire(1, 2).chunk({0}, {1}).chunk({0}, {2});
  m.move(0, 1, 0, 0, 2).with({1}).move(1, 2, 1, 2, 3);
  EXPECT_EQ(schedule_findings(m.s), "");
  Diagnostics diagnostics;
  const Flow flow = follow(m.s, diagnostics);
  ASSERT_EQ(flow.parents_of(1).size(), 1U);
  EXPECT_EQ(flow.parents_of(1)[0], 0U);
  EXPECT_EQ(replayed_time(m.s, flow), 3'000'000);
}

TEST(TenSets, AreAsLongAsAllTheirBytes) {
  ScheduleMaker m(Collective::custom, 2);
  m.wire(0, 1).chunk({0}, {1}).chunk({0}, {1}).move(0, 1, 0, 0, 1).with({1});
  EXPECT_EQ(schedule_findings(m.s),
            "1: error: transfer 0 (chunks 0-1, 0->1) takes 1 µs, less than the 2 µs that its link requires [R2]");
}

TEST(TenSets, EachChunkMustBeThere) {
  ScheduleMaker m(Collective::custom, 3);
  m.wire(0, 1).wire(1, 2).chunk({0}, {2}).chunk({0}, {2});
  m.move(0, 1, 0, 0, 1).move(1, 2, 0, 1, 3).with({1});
  EXPECT_EQ(schedule_findings(m.s),
            "2: error: transfer 1 (chunks 0-1, 1->2) starts before node 1 holds chunk 1 [R4]");
  ScheduleMaker sums(Collective::custom, 3);
  sums.wire(0, 1).wire(2, 1).chunk({}, {1}).chunk({0, 2}, {1});
  sums.reduce(0, 1, 0, 0, 2).with({1});
  EXPECT_EQ(schedule_findings(sums.s),
            "101: warning: 1 link is unused; the first is 2->1 [R7]\n"
            "1: error: transfer 0 (chunks 0-1, 0->1) reduces into chunk 1, which node 1 does not hold [R5]\n"
            "201: error: chunk 1 does not reach node 1 [R6]");
}

// Repair drops the chunks of a set that have already arrived; the others get new times.
TEST(TenSets, RepairDropsTheChunksThatAreThere) {
  ScheduleMaker m(Collective::custom, 2);
  m.wire(0, 1).chunk({0}, {1}).chunk({0}, {1}).chunk({0}, {1});
  m.move(0, 1, 1, 0, 1).move(0, 1, 0, 1, 4).with({1, 2}).move(0, 1, 1, 4, 6).with({2});
  Diagnostics diagnostics;
  Schedule timed;
  const Flow flow = check_schedule(m.s, timed, diagnostics);
  const Schedule repaired = repair(m.s, flow, diagnostics);
  ASSERT_EQ(repaired.transfers.size(), 2U);
  EXPECT_EQ(describe(repaired, repaired.transfers[1]), "transfer 1 (chunks 0,2, 0->1)");
  EXPECT_EQ(repaired.transfers[1].end, 3'000'000);
  EXPECT_EQ(schedule_findings(repaired), "");
}

// NPUs 0 and 1 send to 2 over switch 3, whose link to 2 they share.
ScheduleMaker over_a_switch() {
  ScheduleMaker m(Collective::custom, 3);
  m.s.switches = 1;
  m.s.occupancy = Schedule::Occupancy::beta;
  m.wire(0, 3, 1).wire(1, 3, 1).wire(3, 2, 1).chunk({0}, {2}).chunk({1}, {2});
  m.move(0, 2, 0, 0, 4).move(1, 2, 1, 0, 5);
  m.s.hops = {
      {0, 2'000'000, 0, 3}, {2'000'000, 4'000'000, 10, 2}, {0, 2'000'000, 1, 3}, {3'000'000, 5'000'000, 11, 2}};
  m.s.transfers[0].way = {0, 2};
  m.s.transfers[1].way = {2, 2};
  return m;
}

TEST(TenSwitches, EachWireOfAWayIsChecked) {
  EXPECT_EQ(schedule_findings(over_a_switch().s), "");
  ScheduleMaker m = over_a_switch();
  m.s.hops[3].start = 2'500'000;
  EXPECT_NE(
      schedule_findings(m.s).find("transfer 11 (chunk 1, 3->2) starts at 2.5 µs, while its link still carries "
                                  "transfer 10 (chunk 0, 3->2) [R3]"),
      std::string::npos)
      << schedule_findings(m.s);
  m = over_a_switch();
  m.s.hops[1].end = 3'500'000;
  m.s.transfers[0].end = 3'500'000;
  EXPECT_NE(schedule_findings(m.s).find("transfer 10 (chunk 0, 3->2) takes 1.5 µs, less than"), std::string::npos);
  m = over_a_switch();
  m.s.wires.pop_back();
  EXPECT_NE(schedule_findings(m.s).find("there is no link 3->2 [R1]"), std::string::npos);
}

TEST(TenSwitches, RetimingKeepsTheOrderOfEachWire) {
  const ScheduleMaker m = over_a_switch();
  Diagnostics diagnostics;
  const Flow flow = follow(m.s, diagnostics);
  EXPECT_EQ(replayed_time(m.s, flow), 5'000'000);
  ScheduleMaker slow = over_a_switch();
  for (Schedule::Hop& h : slow.s.hops) h.start += 7'000'000, h.end += 7'000'000;
  slow.s.transfers[0].end = slow.s.hops[1].end;
  slow.s.transfers[1].end = slow.s.hops[3].end;
  const Schedule again = retime(slow.s, diagnostics);
  EXPECT_EQ(diagnostics.errors(), 0U);
  for (std::size_t h = 0; h < again.hops.size(); ++h) EXPECT_EQ(again.hops[h].start, m.s.hops[h].start) << h;
  EXPECT_EQ(again.transfers[1].end, 5'000'000);
}

}  // namespace
}  // namespace convert
