// SPDX-License-Identifier: MIT
#include "scenario/synthesized/judged_builders.h"

#include <gtest/gtest.h>

#include "synthesis/bounds/bounds.h"

namespace convert::judged_cases {
namespace {

std::optional<JudgedBuilder> fastest(const std::string& text, const SynthesisRequest& request, Picoseconds limit) {
  Diagnostics diagnostics;
  const NetworkConfig network = parse_short_network(text);
  const SynthesisProblem problem = make_problem(network, request, diagnostics);
  return fastest_builder(network, request, problem, {}, {.limit = limit});
}

// Three exchanges of 500 ns each, few bytes at 50 GB/s, and reductions of one nanosecond each.
TEST(JudgedBuilders, SmallAllReducesExchange) {
  const auto best = fastest("hypercube:8,bw=50GB/s,lat=500ns", {.collective = Collective::all_reduce, .bytes = 8},
                            10 * ps_per_us);
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->name.substr(0, 18), "recursive_doubling");
  EXPECT_GE(best->total, 1500 * ps_per_ns);
  EXPECT_LE(best->total, 1504 * ps_per_ns);
  EXPECT_EQ(best->algorithm.ranks(), 8);
}

TEST(JudgedBuilders, AllAtOnceWhereAllAreNeighbours) {
  const auto best = fastest("fully_connected:6,bw=50GB/s,lat=500ns",
                            {.collective = Collective::all_reduce, .bytes = 600}, 10 * ps_per_us);
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->name.substr(0, 6), "direct");
  EXPECT_GE(best->total, (500 + 12) * ps_per_ns);      // latency and 600 bytes
  EXPECT_LE(best->total, (500 + 12 + 5) * ps_per_ns);  // and sums
}

// Small shards of an all-to-all are distinguished by their routes in a replay.
TEST(JudgedBuilders, DirectMessagesOfAllToAll) {
  const auto best = fastest("torus:4x4,bw=50GB/s,lat=500ns", {.collective = Collective::all_to_all, .bytes = 1600},
                            10 * ps_per_us);
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->name.substr(0, 6), "direct");
  EXPECT_GE(best->total, 4 * 500 * ps_per_ns) << "to the farthest NPU";
  EXPECT_LE(best->total, (4 * 500 + 15 * 2) * ps_per_ns) << "and what stands before it, 2 ns each";
}

// Rounding down would give less time than all bytes require.
TEST(JudgedBuilders, MoveAllBytes) {
  for (const Collective c : {Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce,
                             Collective::all_to_all, Collective::broadcast, Collective::reduce}) {
    for (const std::int64_t bytes : {100, 102, 1001, 100'001, 1'000'006}) {
      SCOPED_TRACE(std::string(name(c)) + ", " + std::to_string(bytes) + " bytes");
      const NetworkConfig network = parse_short_network("ring:2,bw=50GB/s,lat=0");
      Diagnostics rounding;
      const SynthesisProblem problem = make_problem(network, {.collective = c, .bytes = bytes}, rounding);
      const auto best = fastest("ring:2,bw=50GB/s,lat=0", {.collective = c, .bytes = bytes}, ps_per_us * 1'000'000);
      if (!best) continue;
      EXPECT_EQ(problem.bytes % best->algorithm.chunks, 0);
      EXPECT_GE(best->total + 1, find_bounds(problem).lower);
    }
  }
}

TEST(JudgedBuilders, OnlyFasterOnesAndWholeNetworks) {
  const SynthesisRequest request{.collective = Collective::all_reduce, .bytes = 600};
  EXPECT_FALSE(fastest("fully_connected:6,bw=50GB/s,lat=500ns", request, 512 * ps_per_ns).has_value());
  SynthesisRequest few = request;
  few.group = std::vector<Rank>{0, 1, 2};
  EXPECT_FALSE(fastest("fully_connected:6,bw=50GB/s,lat=500ns", few, 10 * ps_per_us).has_value());
}

}  // namespace
}  // namespace convert::judged_cases
