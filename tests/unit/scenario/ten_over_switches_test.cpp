// SPDX-License-Identifier: MIT
// A replay on a network with switches becomes a schedule of hops, which takes the same time.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/expect_error.h"
#include "common/replay_traces.h"
#include "formats/format.h"
#include "sets/schedules.h"
#include "sets/synthesized/synthesized.h"
#include "unit/passes/lowered.h"
#include "unit/scenario/imported.h"
#include "unit/synthesis/random_graphs.h"

namespace convert::switched_ten_cases {
namespace {

ReplayResult replayed(const std::vector<Trace>& traces, const NetworkConfig& network, Schedule::Occupancy occupancy,
                      Forwarding forwarding = Forwarding::store) {
  ReplayOptions options;
  options.network.model = NetworkModel::wires;
  options.network.forwarding = forwarding;
  options.network.occupancy = occupancy == Schedule::Occupancy::beta ? Occupancy::beta : Occupancy::alpha_beta;
  options.network.log_hops = true;
  options.timeline = true;
  Diagnostics diagnostics;
  auto result = test::replay_traces(traces, network, options, diagnostics);
  if (!result) throw std::runtime_error(diagnostics.all().front().message);
  EXPECT_EQ(result->status, ReplayStatus::complete);
  return std::move(*result);
}

TEST(TenOverSwitches, HopsReplayToTheSameTime) {
  test::SynthesisDraw draw(4);
  int switched = 0;
  for (int round = 0; round < 30; ++round) {
    const NetworkConfig network = test::random_network(draw, 7, 4);
    const auto collective = draw.of(std::vector{Collective::all_gather, Collective::all_reduce,
                                                Collective::reduce_scatter, Collective::all_to_all});
    const auto occupancy = draw.below(2) == 0 ? Schedule::Occupancy::beta : Schedule::Occupancy::alpha_beta;
    SCOPED_TRACE("round " + std::to_string(round) + ", " + std::string(name(collective)));
    Diagnostics diagnostics;
    const SynthesisProblem problem = make_problem(
        network, {.collective = collective, .bytes = std::int64_t{60'000} * network.npus(), .occupancy = occupancy},
        diagnostics);
    const SynthesizedAlgorithm made =
        synthesize_algorithm(problem, {.effort = SynthesisEffort::fast, .pieces = 3}, diagnostics);
    const ReplayResult result = replayed(test::lower(made.made.algorithm), network, occupancy);
    const Schedule s = schedule_of_replay(test::lower(made.made.algorithm), result.timeline, network, occupancy,
                                          true, "made", diagnostics);
    EXPECT_EQ(diagnostics.errors(), 0U) << diagnostics.all().front().message;
    EXPECT_EQ(s.claimed_ps, result.total_ps);
    if (s.switches != 0) {
      ++switched;
      EXPECT_EQ(s.forwarding, "store");
      EXPECT_EQ(s.hops.size(), made.made.schedule.hops.size());
    }
    for (const char* form : {"csv", "json"})
      EXPECT_EQ(replayed(test::imported(s, form), network, occupancy).total_ps, result.total_ps);
  }
  EXPECT_GT(switched, 10);
}

TEST(TenOverSwitches, WhatIsNotStoredIsNoSchedule) {
  const NetworkConfig network = parse_short_network("switch:3,bw=50GB/s,lat=500ns");
  Diagnostics diagnostics;
  const SynthesisProblem problem =
      make_problem(network, {.collective = Collective::broadcast, .bytes = 99}, diagnostics);
  const auto traces =
      test::lower(synthesize_algorithm(problem, {.effort = SynthesisEffort::fast}, diagnostics).made.algorithm);
  const ReplayResult result = replayed(traces, network, Schedule::Occupancy::beta, Forwarding::switches);
  const std::string message = test::error_message(
      [&] {
        (void)schedule_of_replay(traces, result.timeline, network, Schedule::Occupancy::beta, false, "made",
                                 diagnostics);
      },
      Error::Kind::input);
  EXPECT_NE(message.find("over switch0, which forwards partial messages"), std::string::npos) << message;
  EXPECT_NE(message.find("use --forwarding store"), std::string::npos) << message;
}

// Two messages of one pair that end at the same time took different routes: the first one is assigned the first
// route.
TEST(TenOverSwitches, UnlikeWaysOfAPair) {
  const NetworkConfig network{
      .source = "two ways",
      .graph = {.npus = 2,
                .switches = 2,
                .wires = {{0, 2, 1, 0}, {0, 3, 1, 0}, {2, 1, 1, 0}, {3, 1, 1, 0}, {1, 0, 1, 0}}}};
  Diagnostics diagnostics;
  const SynthesisProblem problem =
      make_problem(network, {.collective = Collective::broadcast, .bytes = 8'000, .root = 0}, diagnostics);
  const auto traces = test::lower(
      synthesize_algorithm(problem, {.effort = SynthesisEffort::fast, .pieces = 4}, diagnostics).made.algorithm);
  const ReplayResult result = replayed(traces, network, Schedule::Occupancy::beta);
  const Schedule s =
      schedule_of_replay(traces, result.timeline, network, Schedule::Occupancy::beta, true, "made", diagnostics);
  EXPECT_EQ(diagnostics.errors(), 0U);
  std::vector<std::uint32_t> over;
  for (const Schedule::Transfer& t : s.transfers) over.push_back(s.hops[t.way.begin].to);
  std::ranges::sort(over);
  EXPECT_EQ(over, (std::vector<std::uint32_t>{2, 2, 3, 3}));
  EXPECT_EQ(replayed(test::imported(s, "json"), network, Schedule::Occupancy::beta).total_ps, result.total_ps);
}

}  // namespace
}  // namespace convert::switched_ten_cases
