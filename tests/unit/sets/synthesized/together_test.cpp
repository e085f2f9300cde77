// SPDX-License-Identifier: MIT
// Algorithms of several collectives at once: each is proved, and together they take the claimed time.
#include "sets/synthesized/together.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <numeric>
#include <utility>

#include "common/expect_error.h"
#include "common/replay_traces.h"
#include "config/groups.h"
#include "config/network/network.h"
#include "passes/trace_summary.h"
#include "passes/validate.h"
#include "passes/verify/merged/proof.h"
#include "sanitized.h"
#include "unit/synthesis/random_graphs.h"

namespace convert::together_cases {
namespace {

constexpr auto beta = Schedule::Occupancy::beta;
constexpr auto alpha_beta = Schedule::Occupancy::alpha_beta;
const std::vector<Collective> all_kinds = {
    Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce, Collective::broadcast,
    Collective::reduce,     Collective::all_to_all,     Collective::scatter,    Collective::gather};

std::vector<SynthesisProblem> problems_of(const NetworkConfig& network,
                                          const std::vector<SynthesisRequest>& requests) {
  std::vector<SynthesisProblem> out;
  Diagnostics rounding;
  for (const SynthesisRequest& r : requests) out.push_back(make_problem(network, r, rounding));
  return out;
}

std::vector<Trace> traces_of(const JointAlgorithms& made) {
  Diagnostics diagnostics;
  const JointTraces all(made, network_id(made.problem.named.front().wires), diagnostics);
  EXPECT_EQ(diagnostics.errors() + diagnostics.warnings(), 0U);
  std::vector<Trace> out;
  for (Rank r = 0; r < all.ranks(); ++r) out.push_back(all.trace(r));
  return out;
}

// Each collective has the correct result.
void expect_proved(const JointAlgorithms& made, const std::vector<Trace>& traces) {
  Diagnostics diagnostics;
  MergedProof proof;
  for (const Trace& t : traces) proof.add(merged_calls(t, diagnostics));
  EXPECT_EQ(diagnostics.errors(), 0U);
  std::uint64_t wanted = 0;
  GroupLists lists;
  for (const SynthesisProblem& p : made.problem.named) wanted += p.size() > 1 ? 1U : 0U;
  Diagnostics ignored;
  const JointTraces all(made, "", ignored);
  if (const auto text = all.groups()) {
    for (const CommGroup& g : parse_groups("groups", *text, all.ranks())) lists[std::to_string(g.id)] = g.ranks;
  }
  const MergedProof::Counts counts = proof.run(&lists, std::nullopt, diagnostics);
  EXPECT_EQ(counts.proved, wanted) << (diagnostics.all().empty() ? "" : diagnostics.all().front().message);
}

void expect_turns_right(const std::vector<Trace>& traces) {
  Diagnostics diagnostics;
  std::vector<TraceSummary> summaries;
  for (const Trace& t : traces) summaries.push_back(summarise(t));
  check_set(summaries, RuleSet::parse("turns,pairs,deadlock"), diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << diagnostics.all().front().message;
}

void expect_time(const NetworkConfig& network, const JointAlgorithms& made, const std::vector<Trace>& traces) {
  ReplayOptions options;
  options.network.model = NetworkModel::wires;
  options.network.forwarding = Forwarding::store;
  const bool sends_on = made.problem.named.front().occupancy == beta;
  options.network.occupancy = sends_on ? Occupancy::beta : Occupancy::alpha_beta;
  Diagnostics diagnostics;
  const auto result = test::replay_traces(traces, network, options, diagnostics);
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->notes.empty()) << result->notes[0];
  EXPECT_EQ(result->status, ReplayStatus::complete);
  EXPECT_LE(std::abs(result->total_ps - made.result.total), Picoseconds{4 * network.npus() + 8});
}

// Messages never overlap on a link.
void expect_exclusive(const JointAlgorithms& made) {
  const SynthesisProblem& p = made.problem.named.front();
  std::map<std::uint32_t, std::vector<std::pair<Picoseconds, Picoseconds>>> busy;
  for (const TimedMoves& m : made.result.made) {
    for (const Move& move : m.moves.moves) {
      for (std::uint32_t h = move.way.begin; h < move.way.begin + move.way.count; ++h) {
        const std::uint32_t link = m.moves.links[h];
        busy[link].emplace_back(m.starts[h],
                                m.starts[h] + hop_time(p, link, m.moves.pieces[move.piece].bytes).busy);
      }
    }
  }
  for (auto& [link, times] : busy) {
    std::ranges::sort(times);
    for (std::size_t k = 1; k < times.size(); ++k) EXPECT_LE(times[k - 1].second, times[k].first);
  }
}

void expect_right(const NetworkConfig& network, const JointAlgorithms& made) {
  const std::vector<Trace> traces = traces_of(made);
  expect_proved(made, traces);
  expect_turns_right(traces);
  expect_time(network, made, traces);
  expect_exclusive(made);
  constexpr Picoseconds rounded = 1000;  // times of messages
  EXPECT_GE(made.result.total + rounded, made.result.bounds.lower);
  const Picoseconds in_turn = std::accumulate(made.result.alone.begin(), made.result.alone.end(), Picoseconds{0});
  EXPECT_LE(made.result.total, in_turn);
}

std::vector<SynthesisRequest> random_requests(test::SynthesisDraw& draw, std::uint32_t npus) {
  std::vector<SynthesisRequest> out;
  const Schedule::Occupancy occupancy = draw.below(2) == 0 ? beta : alpha_beta;
  for (std::uint32_t left = 2 + draw.below(3); left > 0; --left) {
    SynthesisRequest& r =
        out.emplace_back(SynthesisRequest{.collective = draw.of(all_kinds), .bytes = 1000 + draw.below(1'000'000)});
    r.occupancy = occupancy;
    if (draw.below(4) != 0) r.group = test::random_group(draw, npus);
    if (r.group && has_root(r.collective)) r.root = draw.of(*r.group);
  }
  return out;
}

TEST(Together, AnyCollectivesOnAnyNetworkAreProvedAndTakeTheirTime) {
  test::SynthesisDraw draw(5);
  for (int round = 0; round < test::rounds(32); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const NetworkConfig network = test::random_network(draw, 9, round % 2 == 0 ? 0 : 3);
    const std::vector<SynthesisRequest> requests = random_requests(draw, network.graph.npus);
    const SynthesisChoice choice{.effort = round % 5 == 0 ? SynthesisEffort::normal : SynthesisEffort::fast};
    expect_right(network, make_together(problems_of(network, requests), choice));
  }
}

TEST(Together, AnyNumberOfThreadsMakesTheSame) {
  test::SynthesisDraw draw(6);
  for (int round = 0; round < 4; ++round) {
    const NetworkConfig network = test::random_network(draw, 8, 2);
    const std::vector<SynthesisRequest> requests = random_requests(draw, network.graph.npus);
    const JointAlgorithms one = make_together(problems_of(network, requests), {.jobs = 1});
    const JointAlgorithms four = make_together(problems_of(network, requests), {.jobs = 4});
    EXPECT_EQ(one.summary(), four.summary());
    for (std::size_t c = 0; c < requests.size(); ++c)
      EXPECT_EQ(one.result.made[c].starts, four.result.made[c].starts);
  }
}

std::vector<SynthesisRequest> rows_of_four(Collective collective, std::int64_t bytes) {
  std::vector<SynthesisRequest> out;
  for (Rank row = 0; row < 4; ++row) {
    const Rank first = 4 * row;
    out.push_back({.collective = collective,
                   .bytes = bytes,
                   .group = std::vector<Rank>{first, first + 1, first + 2, first + 3}});
  }
  return out;
}

TEST(Together, RowsOfATorusAreAtTheirBound) {
  const NetworkConfig torus = parse_short_network("torus:4x4,bw=50GB/s,lat=500ns");
  const JointAlgorithms made = make_together(problems_of(torus, rows_of_four(Collective::all_gather, 4 << 20)), {});
  expect_right(torus, made);
  EXPECT_EQ(made.result.total, made.result.bounds.lower);
  for (const Picoseconds alone : made.result.alone) EXPECT_LT(alone, made.result.total);  // over all links
}

TEST(Together, SomeAreOfTheSameGroupAndSomeOfOneNpu) {
  const NetworkConfig ring = parse_short_network("ring:6,bw=50GB/s,lat=500ns");
  const std::vector<Rank> three = {0, 2, 3};
  const JointAlgorithms made = make_together(
      problems_of(ring, {{.collective = Collective::all_gather, .bytes = 300'000, .group = three},
                         {.collective = Collective::all_gather, .bytes = 300'000, .group = three},
                         {.collective = Collective::all_reduce, .bytes = 1000, .group = three},
                         {.collective = Collective::all_reduce, .bytes = 1000, .group = std::vector<Rank>{1}}}),
      {});
  expect_right(ring, made);
  EXPECT_EQ(made.result.alone[0], made.result.alone[1]);
  EXPECT_EQ(made.result.made[3].total, 0);
}

TEST(Together, AnyKindMayBeOfASingleNpu) {
  const NetworkConfig ring = parse_short_network("ring:4,bw=50GB/s,lat=500ns");
  for (const Collective c : all_kinds) {
    SCOPED_TRACE(name(c));
    const JointAlgorithms made =
        make_together(problems_of(ring, {{.collective = c, .bytes = 9 << 12, .group = std::vector<Rank>{0, 1, 2}},
                                         {.collective = c, .bytes = 9 << 12, .group = std::vector<Rank>{3}}}),
                      {});
    expect_right(ring, made);
    EXPECT_EQ(made.result.made[1].total, 0);
  }
}

TEST(Together, SchedulesHaveTheDevicesOfTheNetwork) {
  const NetworkConfig torus = parse_short_network("torus:4x4,bw=50GB/s,lat=500ns");
  const JointAlgorithms made = make_together(problems_of(torus, rows_of_four(Collective::all_gather, 1 << 20)),
                                             {.effort = SynthesisEffort::fast});
  const Schedule second = relayed_schedule(made, 1).schedule;
  EXPECT_EQ(second.nodes, 16U);
  EXPECT_EQ(second.relays.size(), 12U);
  EXPECT_EQ(second.transfers.front().src / 4, 1U);
  EXPECT_EQ(algorithm_of(made, 1).algorithm.ranks(), 4);
}

TEST(Together, WhatOneCollectiveCannotHaveNamesIt) {
  const NetworkConfig ring = parse_short_network("ring:4,bw=50GB/s,lat=500ns");
  const std::vector<SynthesisProblem> problems =
      problems_of(ring, {{.collective = Collective::all_gather, .bytes = 4000},
                         {.collective = Collective::all_to_all, .bytes = 4000}});
  EXPECT_EQ(
      test::thrown_error([&] { (void)make_together(problems, {.methods = {SynthesisMethod::greedy}}); }).what(),
      std::string("all_to_all of NPUs 0-3: method greedy does not support all_to_all"));
}

}  // namespace
}  // namespace convert::together_cases
