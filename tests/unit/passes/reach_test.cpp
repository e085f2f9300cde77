// SPDX-License-Identifier: MIT
#include "passes/verify/reach.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "unit/passes/algorithms.h"
#include "unit/passes/random_program.h"

namespace convert {
namespace {

using test::Closure;
using test::make_algorithm;
using test::RandomProgram;
using test::Tb;

TEST(Reachability, ARunningOrderKeepsEveryEdge) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const RandomProgram random(seed, 80);
    const StepGraph& p = random.program();
    std::vector<std::uint32_t> place(p.step_count(), no_index);
    std::uint32_t next = 0;
    for (const std::uint32_t s : running_order(p)) place[s] = next++;
    ASSERT_EQ(next, p.step_count());
    std::vector<StepPair> edges;
    add_local_edges(p, edges);
    add_message_edges(p, edges);
    for (const StepPair& e : edges) ASSERT_LT(place[e.from], place[e.to]) << seed;
  }
}

TEST(Reachability, ACircleOfMessagesIsOrderedByItsRanksAlone) {
  std::vector<std::vector<Tb>> gpus;
  for (std::int32_t r = 0; r < 2; ++r) {
    gpus.push_back({Tb{1 - r,
                       1 - r,
                       0,
                       {{StepType::recv, Buffer::input, 0, Buffer::input, 0},
                        {StepType::send, Buffer::input, 0, Buffer::input, 0}}}});
  }
  EXPECT_EQ(running_order(make_step_graph(make_algorithm(Collective::custom, 1, true, 1, 0, 0, gpus))),
            (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

// Graphs of several shapes: few long paths, many ends from one start, many starts to one end.
TEST(Reachability, AnswersAsATableDoes) {
  std::mt19937 random(7);
  const auto pick = [&](std::size_t below) { return static_cast<std::uint32_t>(random() % below); };
  for (int round = 0; round < 60; ++round) {
    StepGraph p;
    const bool long_paths = round % 4 == 0;
    const std::uint32_t n = long_paths ? 6000 : 400 + pick(1500);
    p.steps.resize(n + 1);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::uint32_t> groups(n);
    const std::uint32_t each = round % 3 == 0 ? 100 : n;
    for (std::uint32_t i = 0; i < n; ++i) groups[order[i]] = i / each;
    const std::uint32_t width = 1U << pick(long_paths ? 3 : 8);
    std::vector<StepPair> edges;
    std::vector<StepPair> pairs;
    for (std::uint32_t i = 0; i < n; ++i) {
      const auto wire = [&](std::uint32_t from) {
        if (groups[order[from]] == groups[order[i]]) edges.push_back({order[from], order[i]});
      };
      if (i >= width) wire(i - width);
      if (i > 0 && pick(width) == 0) wire(pick(i));
      pairs.push_back({order[pick(round % 2 == 0 ? n : 3)], order[pick(n)]});
      pairs.push_back({order[pick(n)], order[pick(round % 5 == 0 ? 4 : n)]});
    }
    const Closure table(p, edges, order);
    std::vector<Answer> answers(pairs.size(), Answer::open);
    std::uint64_t budget = order_budget;
    Reachability(edges, order, groups).decide(pairs, answers, budget);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const bool ordered = pairs[i].from != pairs[i].to && table.ordered(pairs[i].from, pairs[i].to);
      ASSERT_EQ(answers[i], ordered ? Answer::ordered : Answer::unordered) << round << " " << i;
    }
  }
}

}  // namespace
}  // namespace convert
