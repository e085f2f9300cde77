// SPDX-License-Identifier: MIT
// Judges synthesized algorithms: proved, and replayed to their claimed time.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "common/refutation.h"
#include "common/replay_traces.h"
#include "sets/synthesized/synthesized.h"
#include "unit/passes/lowered.h"

namespace corpus {

inline double us(convert::Picoseconds time) { return static_cast<double>(time) / 1e6; }

// Returns the time divided by the bound.
inline double over_bound(const convert::SynthesisProblem& problem, const convert::SynthesizedAlgorithm& made) {
  return us(*made.made.schedule.claimed_ps) / us(find_bounds(problem).lower);
}

inline convert::SynthesizedAlgorithm synthesized(const convert::SynthesisProblem& problem,
                                                 const convert::SynthesisChoice& choice = {}) {
  convert::Diagnostics diagnostics;
  return convert::synthesize_algorithm(problem, choice, diagnostics);
}

// Proves the algorithm, and replays it on the network without the failed links. The time must equal the claim
// within `slack_ps`, 1 ps for each hop.
inline void expect_proved(const std::string& what, const convert::NetworkConfig& network,
                          const convert::SynthesisProblem& problem, const convert::SynthesizedAlgorithm& made,
                          const std::vector<std::string>& failed = {}, convert::Picoseconds slack_ps = 200) {
  using namespace convert;
  const auto traces = test::lower(made.made.algorithm);
  EXPECT_EQ(test::refutation(traces), "") << what;
  Diagnostics diagnostics;
  ReplayOptions options;
  options.network.model = NetworkModel::wires;
  options.network.forwarding = Forwarding::store;
  const bool beta = problem.occupancy == Schedule::Occupancy::beta;
  options.network.occupancy = beta ? Occupancy::beta : Occupancy::alpha_beta;
  options.network.failed = failed;
  const auto result = test::replay_traces(traces, network, options, diagnostics);
  ASSERT_TRUE(result.has_value()) << what;
  EXPECT_TRUE(result->notes.empty()) << what;
  EXPECT_LE(std::abs(result->total_ps - *made.made.schedule.claimed_ps), slack_ps) << what;
}

}  // namespace corpus
