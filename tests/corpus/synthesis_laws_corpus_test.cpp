// SPDX-License-Identifier: MIT
// Properties of synthesized times that hold for any method.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "corpus/corpus.h"
#include "corpus/synthesis_judge.h"
#include "corpus/synthesis_networks.h"
#include "sanitized.h"
#include "util/draw.h"

namespace {

using namespace convert;

// Two boxes of eight V100, for which TE-CCL publishes 48.75 µs after 47 s.
TEST(SynthesisLawsCorpusTest, TwoBoxesOfV100) {
  REQUIRE_CORPUS();
  const corpus::SynthesisNetwork network = corpus::synthesis_network("ndv2_2");
  const SynthesisProblem problem = corpus::synthesis_problem(network, Collective::all_gather, 62'500);
  const SynthesizedAlgorithm whole = corpus::synthesized(problem, {.pieces = 1});
  EXPECT_LE(corpus::us(*whole.made.schedule.claimed_ps), 46.45);
  corpus::expect_proved("ndv2_2, whole", network.config, problem, whole);
  if (test::sanitized) return;
  const SynthesizedAlgorithm split = corpus::synthesized(problem);
  EXPECT_LE(corpus::us(*split.made.schedule.claimed_ps), 42.76);
  corpus::expect_proved("ndv2_2, split", network.config, problem, split);
}

// Renumbers NPUs and switches, and reorders the links.
NetworkConfig relabelled(const NetworkConfig& network, std::uint64_t seed) {
  Draw draw(seed, 0, 0);
  const auto shuffle = [&](auto begin, auto end) {
    for (auto i = end - begin; i > 1; --i)
      std::iter_swap(begin + i - 1, begin + static_cast<std::ptrdiff_t>(draw.below(static_cast<std::uint64_t>(i))));
  };
  NetworkConfig out = network;
  std::vector<Device> label(network.graph.devices());
  std::iota(label.begin(), label.end(), Device{0});
  shuffle(label.begin(), label.begin() + network.graph.npus);
  shuffle(label.begin() + network.graph.npus, label.end());
  for (GraphWire& w : out.graph.wires) {
    w.from = label[w.from];
    w.to = label[w.to];
  }
  shuffle(out.graph.wires.begin(), out.graph.wires.end());
  return out;
}

TEST(SynthesisLawsCorpusTest, TimesDoNotDependOnTheNumbersOfNpus) {
  REQUIRE_CORPUS();
  if (test::sanitized) GTEST_SKIP() << "takes a minute";
  for (const std::string name : {"ring_8", "torus_4x4", "mesh_4x4", "hypercube_8", "dgx1_v100", "kautz_2_24",
                                 "random_16_d3_s1", "tree_15", "switch_16", "mi250_1x16"}) {
    const corpus::SynthesisNetwork network = corpus::synthesis_network(name);
    Picoseconds least = INT64_MAX;
    Picoseconds most = 0;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const corpus::SynthesisNetwork other{.config = seed == 0 ? network.config : relabelled(network.config, seed)};
      const SynthesisProblem problem = corpus::synthesis_problem(other, Collective::all_gather, 1 << 20);
      const Picoseconds time = synthesize(problem, {.effort = SynthesisEffort::best}).made.total;
      least = std::min(least, time);
      most = std::max(most, time);
    }
    EXPECT_LE(corpus::us(most), corpus::us(least) * 1.01) << name;
  }
}

}  // namespace
