// SPDX-License-Identifier: MIT
#include "collectives/builder.h"

#include <gtest/gtest.h>

#include "passes/verify/execute.h"
#include "passes/verify/step_graph.h"

namespace convert::collectives {
namespace {

constexpr Buffer in = Buffer::input;

// The threadblocks of a rank, and below each one step per line, such as "s 0>2 x1 @1.0 !": type, first chunk read
// and first chunk written, number of chunks; "@1.0" waits for threadblock 1 step 0, "!" publishes.
std::string text(const Algorithm& a, std::int32_t rank) {
  std::string out;
  const Gpu& gpu = a.gpus[static_cast<std::size_t>(rank)];
  std::int32_t id = 0;
  for (const Threadblock& tb : a.threadblocks(gpu)) {
    out += "tb" + std::to_string(id++) + " send " + std::to_string(tb.send) + " recv " + std::to_string(tb.recv) +
           "\n";
    for (const Step& s : a.steps_of(tb)) {
      out += " " + std::string(name(s.type));
      if (s.type != StepType::nop)
        out += " " + std::to_string(s.src_off) + ">" + std::to_string(s.dst_off) + " x" + std::to_string(s.cnt);
      if (s.depid >= 0) out += " @" + std::to_string(s.depid) + "." + std::to_string(s.deps);
      out += s.hasdep ? " !\n" : "\n";
    }
  }
  return out;
}

void transfer(AlgorithmBuilder& b, const Hop& hop, Arrival arrival, Chunks chunks) {
  Round round;
  round.add(hop, arrival, std::span<const Chunks>(&chunks, 1));
  b.run(round);
}

TEST(AlgorithmBuilder, DependenciesAreThoseOfTheDataAndSurplusOnesAreNops) {
  AlgorithmBuilder b(Collective::custom, 4, 2, Protocol::simple, false);
  transfer(b, peer_hop(0, 3, 0), Arrival::store, {in, 0, 1});
  transfer(b, peer_hop(1, 3, 0), Arrival::store, {in, 1, 1});
  transfer(b, peer_hop(3, 2, 0), Arrival::store, {in, 0, 2});  // both
  transfer(b, peer_hop(1, 3, 0), Arrival::store, {in, 0, 1});  // over data that was sent
  EXPECT_EQ(text(b.finish("x"), 3),
            "tb0 send -1 recv 0\n"
            " r 0>0 x1 !\n"
            "tb1 send -1 recv 1\n"
            " r 1>1 x1 !\n"
            " nop @0.0\n"
            " r 0>0 x1 @2.1\n"
            "tb2 send 2 recv -1\n"
            " nop @0.0\n"
            " s 0>0 x2 @1.0 !\n");
}

TEST(AlgorithmBuilder, AStepThatOnlyPassesOnIsFused) {
  AlgorithmBuilder b(Collective::custom, 3, 1, Protocol::simple, false);
  transfer(b, {0, 1, 0, 0, 0}, Arrival::reduce, {in, 0, 1});
  transfer(b, {1, 2, 0, 0, 0}, Arrival::store, {in, 0, 1});
  EXPECT_EQ(text(b.finish("x"), 1), "tb0 send 2 recv 0\n rrcs 0>0 x1\n");
}

TEST(AlgorithmBuilder, ASumThatIsReplacedIsNotStored) {
  AlgorithmBuilder b(Collective::custom, 3, 1, Protocol::simple, false);
  transfer(b, {0, 1, 0, 0, 0}, Arrival::reduce, {in, 0, 1});
  transfer(b, {1, 2, 0, 0, 0}, Arrival::store, {in, 0, 1});
  transfer(b, {0, 1, 0, 0, 0}, Arrival::store, {in, 0, 1});
  EXPECT_EQ(text(b.finish("x"), 1), "tb0 send 2 recv 0\n rrs 0>0 x1\n r 0>0 x1\n");
}

// The second send would wait for the first if receive and send were fused.
TEST(AlgorithmBuilder, WhatOthersWaitForIsNotFused) {
  AlgorithmBuilder b(Collective::custom, 4, 1, Protocol::simple, false);
  transfer(b, {0, 1, 0, 0, 0}, Arrival::store, {in, 0, 1});
  transfer(b, {1, 2, 0, 0, 0}, Arrival::store, {in, 0, 1});
  transfer(b, {1, 3, 0, 1, 0}, Arrival::store, {in, 0, 1});
  EXPECT_EQ(text(b.finish("x"), 1),
            "tb0 send 2 recv 0\n r 0>0 x1 !\n s 0>0 x1\n"
            "tb1 send 3 recv -1\n s 0>0 x1 @0.0\n");
}

// When rank 1 sends, three messages would be buffered if it had not received the first yet: too many for Simple.
TEST(AlgorithmBuilder, FusionKeepsToTheRoomOfAConnection) {
  for (const Protocol protocol : {Protocol::simple, Protocol::ll}) {
    AlgorithmBuilder b(Collective::custom, 3, 3, protocol, false);
    transfer(b, {0, 1, 0, 0, 0}, Arrival::store, {in, 0, 1});
    const Chunks first{in, 0, 1};
    const Chunks others[] = {{in, 1, 1}, {in, 2, 1}};
    Round round;
    round.add({0, 1, 0, 0, 0}, Arrival::store, others);
    round.add({1, 2, 0, 0, 0}, Arrival::store, std::span<const Chunks>(&first, 1));
    b.run(round);
    const Algorithm a = b.finish("x");
    EXPECT_EQ(text(a, 1), std::string("tb0 send 2 recv 0\n") +
                              (protocol == Protocol::simple ? " r 0>0 x1\n s 0>0 x1\n" : " rcs 0>0 x1\n") +
                              " r 1>1 x1\n r 2>2 x1\n");
    EXPECT_TRUE(completes(make_step_graph(a), fifo_slots(protocol)));
  }
}

TEST(AlgorithmBuilder, LongStepsAreSplitAndAsManyAreUnderWayAsFit) {
  AlgorithmBuilder b(Collective::custom, 2, 200, Protocol::simple, false);
  transfer(b, peer_hop(0, 1, 0), Arrival::store, {in, 0, 200});
  const Algorithm a = b.finish("x");
  EXPECT_EQ(text(a, 0), "tb0 send 1 recv -1\n s 0>0 x71\n s 71>71 x71\n s 142>142 x58\n");
  EXPECT_TRUE(completes(make_step_graph(a), 2));
}

TEST(AlgorithmBuilder, InTurnARankSendsAfterAllItHasDone) {
  AlgorithmBuilder b(Collective::custom, 3, 3, Protocol::simple, false);
  transfer(b, peer_hop(1, 0, 0), Arrival::store, {in, 1, 1});
  Round round;
  const Chunks own{in, 0, 1};
  round.add(peer_hop(0, 2, 0), Arrival::store, std::span<const Chunks>(&own, 1));
  b.run(round, true);
  EXPECT_EQ(text(b.finish("x"), 0), "tb0 send -1 recv 1\n r 1>1 x1 !\ntb1 send 2 recv -1\n s 0>0 x1 @0.0\n");
}

}  // namespace
}  // namespace convert::collectives
