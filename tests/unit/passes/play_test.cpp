// SPDX-License-Identifier: MIT
// Algorithms as timed steps: positions of chunks over time, and correctness of the result.
#include "passes/ten/play.h"

#include <gtest/gtest.h>

#include "unit/passes/algorithms.h"

namespace convert {
namespace {

using test::in;
using test::make_algorithm;
using test::out;
using test::Tb;
using test::tmp;
using enum StepType;

Play played(const Algorithm& a) { return play(make_step_graph(a)); }

// Contributions to a chunk that a rank holds at a time.
std::int32_t held(const Play& p, std::int32_t rank, std::uint32_t chunk, std::int32_t time) {
  std::int32_t now = 0;
  for (const Play::Change& c : p.changes) {
    if (c.rank == rank && c.chunk == chunk && c.time <= time) now = c.held;
  }
  return now;
}

TEST(Play, ARingTakesTwiceItsRanksLessTwo) {
  const Play p = played(test::ring(8));
  EXPECT_EQ(p.end, 14);
  EXPECT_EQ(p.messages.size(), 112U);
  EXPECT_EQ(p.wrong, 0U);
  EXPECT_EQ(p.needed, 8);
  EXPECT_EQ(p.chunks.size(), 8U);
  for (const Play::Message& m : p.messages) {
    EXPECT_EQ(m.end, m.begin + 1);
    EXPECT_EQ(m.dst, (m.src + 1) % 8);
    EXPECT_EQ(m.reduces, m.begin < 7);
  }
  EXPECT_EQ(held(p, 0, 0, -1), 1);
  EXPECT_EQ(held(p, 0, 1, 7), 8);  // the first complete one, one for each rank
  EXPECT_EQ(held(p, 1, 1, 7), 1);
  EXPECT_EQ(held(p, 1, 1, 8), 8);
}

// Both ranks send their chunk, add the received chunk, and keep it: no schedule expresses this, but it can be
// played.
TEST(Play, OneShotSendsWhatItKeeps) {
  const std::vector<Tb> rank0 = {{1, 1, 0, {{send, in, 0, in, 0}, {recv, tmp, 0, tmp, 0}, {re, tmp, 0, in, 0}}}};
  const std::vector<Tb> rank1 = {{0, 0, 0, {{send, in, 0, in, 0}, {recv, tmp, 0, tmp, 0}, {re, tmp, 0, in, 0}}}};
  const Play p = played(make_algorithm(Collective::all_reduce, 1, true, 1, 1, 1, {rank0, rank1}));
  EXPECT_EQ(p.wrong, 0U);
  EXPECT_EQ(p.end, 1);
  ASSERT_EQ(p.messages.size(), 2U);
  EXPECT_TRUE(p.messages[0].reduces) << "its copy is added";
  EXPECT_EQ(held(p, 0, 0, 0), 1);
  EXPECT_EQ(held(p, 0, 0, 1), 2);
}

TEST(Play, WhatIsAddedTwiceIsNegative) {
  const std::vector<Tb> rank0 = {{1, -1, 0, {{send, in, 0, in, 0}, {send, in, 0, in, 0}}}};
  const std::vector<Tb> rank1 = {{-1, 0, 0, {{rrc, in, 0, in, 0}, {rrc, in, 0, in, 0}}}};
  const Play p = played(make_algorithm(Collective::reduce, 1, true, 1, 1, 0, {rank0, rank1}));
  EXPECT_EQ(held(p, 1, 0, 1), 2);
  EXPECT_EQ(held(p, 1, 0, 2), -2);
  EXPECT_EQ(p.wrong, 1U);
}

// A chunk in scratch is not at its required position.
TEST(Play, OnlyTheOutputCountsInTheEnd) {
  const std::vector<Tb> rank0 = {{1, -1, 0, {{send, in, 0, in, 0}, {send, in, 0, in, 0}}}};
  const std::vector<Tb> rank1 = {{-1, 0, 0, {{recv, tmp, 0, tmp, 0}, {recv, tmp, 1, tmp, 1}}}};
  const Play p = played(make_algorithm(Collective::all_gather, 2, true, 1, 2, 2, {rank0, rank1}));
  EXPECT_EQ(held(p, 1, 0, 1), 1);
  EXPECT_EQ(held(p, 1, 0, p.end), 0);
  EXPECT_EQ(p.wrong, 2U) << "rank 1 lacks chunk 0, rank 0 chunk 1";
}

TEST(Play, StepsThatWaitForEverHaveNoTime) {
  const std::vector<Tb> rank0 = {{1, 1, 0, {{recv, out, 1, out, 1}, {send, out, 0, out, 0}}}};
  const std::vector<Tb> rank1 = {{0, 0, 0, {{recv, out, 0, out, 0}, {send, out, 1, out, 1}}}};
  const Play p = played(make_algorithm(Collective::all_gather, 2, true, 1, 2, 0, {rank0, rank1}));
  EXPECT_EQ(p.done, (std::vector<std::int32_t>{-1, -1, -1, -1}));
  EXPECT_EQ(p.messages.size(), 0U);
  EXPECT_EQ(p.wrong, 2U);
}

TEST(Play, AMessageThatNobodyTakesIsOnItsWay) {
  const std::vector<Tb> rank0 = {{1, -1, 0, {{send, in, 0, in, 0}}}};
  const std::vector<Tb> rank1 = {{-1, -1, 0, {{nop, in, -1, in, -1, 0}}}};
  const Play p = played(make_algorithm(Collective::custom, 1, false, 1, 1, 0, {rank0, rank1}));
  ASSERT_EQ(p.messages.size(), 1U);
  EXPECT_EQ(p.messages[0].recv_step, no_index);
  EXPECT_EQ(p.wrong, 0U) << "no result is required";
  EXPECT_EQ(p.chunks[0].post, -2);
}

// In place everything is right; with separate input and output, no step moves a rank's own shard.
TEST(Play, ShowsTheBuffersInWhichItEndsWrong) {
  const std::vector<Tb> rank0 = {{1, 1, 0, {{send, in, 0, out, 0}, {recv, out, 1, out, 1}}}};
  const std::vector<Tb> rank1 = {{0, 0, 0, {{send, in, 0, out, 1}, {recv, out, 0, out, 0}}}};
  Algorithm a = make_algorithm(Collective::all_gather, 2, true, 1, 2, 0, {rank0, rank1});
  EXPECT_EQ(played(a).wrong, 0U);
  EXPECT_TRUE(played(a).inplace);
  a.outofplace = true;
  EXPECT_EQ(played(a).wrong, 2U);
  EXPECT_FALSE(played(a).inplace);
}

// The position in the longest chain counts every step; the time counts only messages.
TEST(Play, PlacesCountSteps) {
  const std::vector<Tb> rank0 = {{1, -1, 0, {{cpy, in, 0, out, 0}, {cpy, in, 0, tmp, 0}, {send, out, 0, out, 0}}}};
  const std::vector<Tb> rank1 = {{-1, 0, 0, {{recv, out, 0, out, 0}}}};
  const Play p = played(make_algorithm(Collective::broadcast, 1, false, 1, 1, 1, {rank0, rank1}));
  EXPECT_EQ(p.place, (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(p.done, (std::vector<std::int32_t>{0, 0, 1, 1}));
}

}  // namespace
}  // namespace convert
