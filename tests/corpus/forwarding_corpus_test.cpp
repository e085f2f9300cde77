// SPDX-License-Identifier: MIT
// Algorithms for networks of the corpus with cut-through switches: the claimed time equals the time of a replay,
// and never exceeds the replayed time of an algorithm made for store-and-forward switches.
#include <gtest/gtest.h>

#include <string>

#include "common/refutation.h"
#include "common/replay_traces.h"
#include "corpus/corpus.h"
#include "corpus/synthesis_networks.h"
#include "scenario/synthesized/judged_builders.h"
#include "unit/passes/lowered.h"

namespace {

using namespace convert;

constexpr const char* switched[] = {"switch_16",         "dgx_a100_2x8",       "dgx_a100_4x8",
                                    "fat_tree_4x8_full", "fat_tree_4x8_over4", "dragonfly_plus_4x2x4",
                                    "h100_rail_4x8",     "h100_ib1_4x8",       "h100_rail_spine_4x8",
                                    "mi250_2x16"};

Picoseconds replayed(const std::vector<Trace>& traces, const NetworkConfig& network,
                     const SynthesisRequest& request) {
  ReplayOptions options;
  options.network.model = NetworkModel::wires;
  options.network.forwarding = request.forwarding;
  options.network.occupancy =
      request.occupancy == Schedule::Occupancy::beta ? Occupancy::beta : Occupancy::alpha_beta;
  Diagnostics diagnostics;
  const auto result = test::replay_traces(traces, network, options, diagnostics);
  if (!result) throw std::runtime_error(diagnostics.all().front().message);
  for (const std::string& note : result->notes) EXPECT_NE(note.find("--forwarding"), std::string::npos) << note;
  return result->total_ps;
}

TEST(ForwardingCorpusTest, NeverSlowerThanWhatIsStoredAndAsLongAsClaimed) {
  REQUIRE_CORPUS();
  int faster = 0, turn = 0;
  for (const char* const name : switched) {
    const NetworkConfig network = corpus::synthesis_network(name).config;
    for (const Collective collective :
         {Collective::all_gather, Collective::reduce_scatter, Collective::all_to_all}) {
      // Each model of links for every second schedule.
      const auto occupancy = ++turn % 2 == 0 ? Schedule::Occupancy::beta : Schedule::Occupancy::alpha_beta;
      SCOPED_TRACE(std::string(name) + ", " + std::string(convert::name(collective)));
      const SynthesisRequest request{.collective = collective,
                                     .bytes = network.npus() * (std::int64_t{1} << 16U),
                                     .occupancy = occupancy,
                                     .forwarding = Forwarding::switches};
      const SynthesisChoice choice{.effort = SynthesisEffort::fast};
      Diagnostics diagnostics;
      const SynthesisProblem problem = make_problem(network, request, diagnostics);
      const SynthesizedAlgorithm made =
          synthesize_algorithm(problem, choice, diagnostics, judge_by_replay(network, request));
      const auto traces = test::lower(made.made.algorithm);
      EXPECT_EQ(test::refutation(traces), "");
      EXPECT_EQ(replayed(traces, network, request), made.total);
      EXPECT_GE(made.total, made.limits.lower);
      const SynthesizedAlgorithm store = synthesize_algorithm(stored(problem), choice, diagnostics);
      const Picoseconds slower = replayed(test::lower(store.made.algorithm), network, request);
      EXPECT_LE(made.total, slower);
      if (made.total < slower) ++faster;
    }
  }
  EXPECT_GT(faster, 5);
}

}  // namespace
