// SPDX-License-Identifier: MIT
// Algorithms synthesized for cut-through switches take their claimed time, and never longer than algorithms
// synthesized for store-and-forward switches.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/replay_traces.h"
#include "sanitized.h"
#include "scenario/synthesized/judged_builders.h"
#include "sets/synthesized/library.h"
#include "unit/passes/lowered.h"
#include "unit/synthesis/random_graphs.h"

namespace convert::forwarding_cases {
namespace {

constexpr Collective collectives[] = {Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce,
                                      Collective::broadcast,  Collective::reduce,         Collective::all_to_all,
                                      Collective::scatter,    Collective::gather};
constexpr auto beta = Schedule::Occupancy::beta;
constexpr auto alpha_beta = Schedule::Occupancy::alpha_beta;

SynthesisProblem made_problem(const NetworkConfig& network, const SynthesisRequest& request) {
  Diagnostics rounding;
  return make_problem(network, request, rounding);
}

SynthesizedAlgorithm made_for(const SynthesisProblem& problem, const SynthesisChoice& choice,
                              const AlgorithmJudge& judge = {}) {
  Diagnostics diagnostics;
  SynthesizedAlgorithm made = synthesize_algorithm(problem, choice, diagnostics, judge);
  EXPECT_EQ(diagnostics.errors(), 0U);
  return made;
}

Picoseconds replayed(const NetworkConfig& network, const SynthesisRequest& request, const Algorithm& algorithm) {
  ReplayOptions options;
  options.network.model = NetworkModel::wires;
  options.network.forwarding = request.forwarding;
  options.network.occupancy = request.occupancy == beta ? Occupancy::beta : Occupancy::alpha_beta;
  Diagnostics diagnostics;
  const auto result = test::replay_traces(test::lower(algorithm), network, options, diagnostics);
  if (!result) throw std::runtime_error(diagnostics.all().front().message);
  EXPECT_EQ(result->status, ReplayStatus::complete);
  for (const std::string& note : result->notes) EXPECT_NE(note.find("--forwarding"), std::string::npos) << note;
  return result->total_ps;
}

// Random requests on random networks with switches.
struct Drawn {
  NetworkConfig network;
  SynthesisRequest request;
};
Drawn drawn(test::SynthesisDraw& draw, Collective c, bool groups = true) {
  Drawn d{.network = test::random_network(draw, 7, 0), .request = {.collective = c}};
  while (d.network.graph.switches == 0) d.network = test::random_network(draw, 7, 5);
  d.request.bytes = d.network.npus() * (20'000 + std::int64_t{draw.below(99)});
  if (groups && draw.below(4) == 0) d.request.group = test::random_group(draw, d.network.graph.npus);
  if (draw.below(2) == 0) d.request.occupancy = alpha_beta;
  d.request.forwarding = draw.below(2) == 0 ? Forwarding::switches : Forwarding::cut;
  return d;
}

TEST(SynthesisForwarding, ReplaysToItsClaimAndNeverSlowerThanWhatIsStored) {
  test::SynthesisDraw draw(8);
  int faster = 0;
  for (int round = 0; round < test::rounds(64); ++round) {
    for (const Collective c : collectives) {
      SCOPED_TRACE("round " + std::to_string(round) + ", " + std::string(name(c)));
      const auto [network, request] = drawn(draw, c);
      const SynthesisProblem problem = made_problem(network, request);
      const SynthesisChoice choice{.effort = SynthesisEffort::fast, .pieces = 1 + draw.below(4)};
      SynthesizedAlgorithm made, store;
      try {
        made = made_for(problem, choice, judge_by_replay(network, request));
        store = made_for(stored(problem), choice);
      } catch (const Error&) {
        continue;  // sums that NPUs outside of the group cannot keep apart
      }
      const Picoseconds total = replayed(network, request, made.made.algorithm);
      EXPECT_EQ(total, made.total);
      EXPECT_EQ(made.made.algorithm.claimed_ps, total);
      EXPECT_EQ(made.made.algorithm.scheduled_for.forwarding, name(request.forwarding));
      const Picoseconds rounding = 2 * static_cast<Picoseconds>(network.graph.devices()) + 8;  // of hops
      EXPECT_GE(total + rounding, made.limits.lower);
      const Picoseconds slower = replayed(network, request, store.made.algorithm);
      EXPECT_LE(total, slower);
      if (total < slower) ++faster;
    }
  }
  if (!test::sanitized) {
    EXPECT_GT(faster, 20);
  }
}

// The synthesis model includes nearly all events. The exceptions are shared links with coinciding events.
TEST(SynthesisForwarding, MakersKnowTheTimes) {
  test::SynthesisDraw draw(5);
  int all = 0, known = 0;
  for (int round = 0; round < test::rounds(40); ++round) {
    for (const Collective c : collectives) {
      const auto [network, request] = drawn(draw, c, false);
      const SynthesizedAlgorithm made =
          made_for(made_problem(network, request), {.effort = SynthesisEffort::fast, .pieces = 3});
      ++all;
      if (replayed(network, request, made.made.algorithm) == made.total) ++known;
    }
  }
  EXPECT_GT(known, all * 95 / 100);
}

TEST(SynthesisForwarding, ThreadsObjectivesAndEfforts) {
  test::SynthesisDraw draw(2);
  for (int round = 0; round < test::rounds(8); ++round) {
    const auto [network, request] = drawn(draw, collectives[round % 3]);
    const SynthesisProblem problem = made_problem(network, request);
    for (const auto objective :
         {SynthesisObjective::time, SynthesisObjective::bandwidth, SynthesisObjective::transfers}) {
      SynthesisChoice choice{.objective = objective};
      const AlgorithmJudge judge = judge_by_replay(network, request);
      SynthesizedAlgorithm one, many;
      try {
        one = made_for(problem, choice, judge);
        choice.jobs = 4;
        many = made_for(problem, choice, judge);
      } catch (const Error&) {
        continue;
      }
      EXPECT_EQ(one.summary(), many.summary());
      EXPECT_EQ(one.made.algorithm.hops.size(), many.made.algorithm.hops.size());
      EXPECT_EQ(one.total, replayed(network, request, one.made.algorithm));
    }
  }
}

// A message over a switch arrives after its bytes and two latencies; a schedule cannot express this.
TEST(SynthesisForwarding, BytesCountOnceOnTheWayOverASwitch) {
  const NetworkConfig network = parse_short_network("switch:2,bw=1GB/s,lat=1us");
  SynthesisRequest request{.collective = Collective::broadcast, .bytes = 10'000};
  const SynthesisChoice choice{.effort = SynthesisEffort::fast, .pieces = 1};
  EXPECT_EQ(made_for(made_problem(network, request), choice).total, 22 * ps_per_us);
  request.forwarding = Forwarding::switches;
  const SynthesizedAlgorithm made = made_for(made_problem(network, request), choice);
  EXPECT_EQ(made.total, 12 * ps_per_us);
  EXPECT_EQ(made.made.schedule.claimed_ps, 22 * ps_per_us);
  request.occupancy = alpha_beta;
  EXPECT_EQ(made_for(made_problem(network, request), choice).total, 12 * ps_per_us);
}

// Without switches, all data is stored by its receivers.
TEST(SynthesisForwarding, DirectNetworksAreAsTheyWere) {
  const NetworkConfig network = parse_short_network("mesh:2x3,bw=50GB/s,lat=500ns");
  SynthesisRequest request{.collective = Collective::all_reduce, .bytes = 6'000'000};
  const std::string summary = made_for(made_problem(network, request), {}).summary();
  request.forwarding = Forwarding::cut;
  const SynthesizedAlgorithm made = made_for(made_problem(network, request), {});
  EXPECT_EQ(made.summary(), summary);
  EXPECT_EQ(replayed(network, request, made.made.algorithm), made.total);
}

// NPUs outside of a group act as switches in its network; they cut through only with `cut`.
TEST(SynthesisForwarding, NpusBetweenTheMembersOfAGroup) {
  const NetworkConfig network = parse_short_network("mesh:3,bw=1GB/s,lat=1us");
  const GroupCollective wanted{.collective = Collective::broadcast, .group = {0, 2}, .bytes = 10'000};
  const SynthesisChoice choice{.effort = SynthesisEffort::fast, .pieces = 1};
  const auto total = [&](Forwarding forwarding) {
    return SynthesisLibrary(network, {}, beta, forwarding).make(wanted, choice, 1).claimed_ps;
  };
  EXPECT_EQ(total(Forwarding::store), 22 * ps_per_us);
  EXPECT_EQ(total(Forwarding::switches), 22 * ps_per_us);
  EXPECT_EQ(total(Forwarding::cut), 12 * ps_per_us);
}

}  // namespace
}  // namespace convert::forwarding_cases
