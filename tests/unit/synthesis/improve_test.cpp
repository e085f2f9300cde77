// SPDX-License-Identifier: MIT
// Improved schedules stay valid, and are never slower; NPUs outside a group are omitted if that helps.
#include "synthesis/improve.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "sanitized.h"
#include "synthesis/list_schedule.h"
#include "synthesis/portfolio.h"
#include "synthesis/trees/packing.h"
#include "unit/synthesis/random_graphs.h"

namespace {

using namespace convert;

// Each message leaves after its arrival, and links carry one at a time.
void expect_schedule(const SynthesisProblem& problem, const TimedMoves& made) {
  const Moves& m = made.moves;
  std::vector<Picoseconds> arrived(m.moves.size(), 0);
  std::map<std::uint32_t, std::vector<std::pair<Picoseconds, Picoseconds>>> busy;
  Picoseconds total = 0;
  for (std::size_t i = 0; i < m.moves.size(); ++i) {
    const Move& move = m.moves[i];
    Picoseconds ready = 0;
    for (const std::uint32_t p : m.parents_of(move)) ready = std::max(ready, arrived[p]);
    for (std::uint32_t h = move.way.begin; h < move.way.begin + move.way.count; ++h) {
      ASSERT_GE(made.starts[h], ready) << "move " << i;
      const HopTime time = hop_time(problem, m.links[h], m.pieces[move.piece].bytes);
      ready = made.starts[h] + time.arrival;
      busy[m.links[h]].emplace_back(made.starts[h], made.starts[h] + time.busy);
    }
    arrived[i] = ready;
    total = std::max(total, ready);
  }
  EXPECT_EQ(made.total, total);
  for (auto& [link, times] : busy) {
    std::ranges::sort(times);
    for (std::size_t k = 1; k < times.size(); ++k)
      ASSERT_GE(times[k].first, times[k - 1].second) << "link " << link;
  }
}

TEST(Improve, NeverSlowerAndStillASchedule) {
  int faster = 0;
  for (std::uint64_t seed = 1; seed <= test::rounds(200); ++seed) {
    test::SynthesisDraw draw(seed);
    const NetworkConfig network = test::random_network(draw, 9, 3);
    const SynthesisProblem problem = test::problem_of(network, Collective::all_gather);
    const std::optional<TreePacking> packing = pack_trees(problem, problem.participants, 1e-4, {.trees = 2});
    ASSERT_TRUE(packing);
    const TreeMoves moves = moves_of(problem, *packing, 3);
    TimedMoves made = list_schedule(problem, moves.moves, ServeOrder::heaviest);
    made.method = "trees";
    const TimedMoves better = improved(problem, made);
    expect_schedule(problem, better);
    EXPECT_LE(better.total, made.total);
    EXPECT_EQ(better.method, "trees");
    EXPECT_EQ(better.moves.links, made.moves.links);
    faster += better.total < made.total ? 1 : 0;
  }
  EXPECT_GT(faster, 0);
}

TEST(Improve, SumsOfAGroupAreNoSlowerWhereOthersMayPassOn) {
  for (std::uint64_t seed = 1; seed <= test::rounds(16); ++seed) {
    test::SynthesisDraw draw(seed);
    const NetworkConfig network = test::random_network(draw, 9, 2);
    SynthesisRequest request{.collective = Collective::all_reduce, .bytes = 3 << 20};
    request.group = test::random_group(draw, network.graph.npus);
    Diagnostics diagnostics;
    std::optional<SynthesisProblem> alone;
    request.group_only = true;
    try {
      alone = make_problem(network, request, diagnostics);
    } catch (const Error&) {  // they reach each other only through others
      continue;
    }
    request.group_only = false;
    const SynthesisProblem all = make_problem(network, request, diagnostics);
    const SynthesisResult with_others = synthesize(all, {});
    EXPECT_LE(with_others.made.total, synthesize(*alone, {}).made.total) << "seed " << seed;
    expect_schedule(all, with_others.made);
  }
}

}  // namespace
