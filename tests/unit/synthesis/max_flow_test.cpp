// SPDX-License-Identifier: MIT
#include "synthesis/max_flow.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sanitized.h"
#include "unit/synthesis/random_graphs.h"

namespace {

using namespace convert;
using test::SynthesisDraw;

constexpr std::int64_t no_limit = std::int64_t{1} << 62;

struct FlowCase {
  std::uint32_t nodes = 0;
  std::vector<MaxFlow::Arc> arcs{};
  std::vector<std::int64_t> capacities{};

  [[nodiscard]] std::int64_t cut(std::uint32_t inside) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      if ((inside >> arcs[i].from & 1) != 0 && (inside >> arcs[i].to & 1) == 0) sum += capacities[i];
    }
    return sum;
  }
  [[nodiscard]] std::int64_t smallest_cut(std::uint32_t source, std::uint32_t sink) const {
    std::int64_t least = INT64_MAX;
    for (std::uint32_t inside = 0; inside < 1U << nodes; ++inside) {
      if ((inside >> source & 1) != 0 && (inside >> sink & 1) == 0) least = std::min(least, cut(inside));
    }
    return least;
  }
};

FlowCase random_flow(SynthesisDraw& draw) {
  FlowCase out{.nodes = 2 + draw.below(7)};
  for (std::uint32_t i = draw.below(30); i > 0; --i) {
    out.arcs.push_back({draw.below(out.nodes), draw.below(out.nodes)});
    out.capacities.push_back(draw.below(20));
  }
  return out;
}

void expect_flow_is_kept(const FlowCase& c, const MaxFlow& flow, std::uint32_t source, std::uint32_t sink,
                         std::int64_t value) {
  std::vector<std::int64_t> excess(c.nodes, 0);
  for (std::uint32_t i = 0; i < c.arcs.size(); ++i) {
    EXPECT_GE(flow.flow(i), 0);
    EXPECT_LE(flow.flow(i), c.capacities[i]);
    excess[c.arcs[i].to] += flow.flow(i);
    excess[c.arcs[i].from] -= flow.flow(i);
  }
  for (std::uint32_t node = 0; node < c.nodes; ++node)
    EXPECT_EQ(excess[node], node == source ? -value : node == sink ? value : 0);
}

TEST(MaxFlowTest, IsTheSmallestCutAfterEachChangeOfCapacities) {
  SynthesisDraw draw(1);
  for (int round = 0; round < test::rounds(400); ++round) {
    FlowCase c = random_flow(draw);
    MaxFlow flow(c.nodes, c.arcs);
    for (std::uint32_t i = 0; i < c.arcs.size(); ++i) flow.set_capacity(i, c.capacities[i]);
    for (int query = 0; query < 6; ++query) {
      const std::uint32_t source = draw.below(c.nodes);
      const std::uint32_t sink = (source + 1 + draw.below(c.nodes - 1)) % c.nodes;
      const std::int64_t wanted = c.smallest_cut(source, sink);
      ASSERT_EQ(flow.run(source, sink, no_limit), wanted);
      expect_flow_is_kept(c, flow, source, sink, wanted);
      std::uint32_t inside = 0;
      for (std::uint32_t node = 0; node < c.nodes; ++node) inside |= (flow.on_source_side(node) ? 1U : 0U) << node;
      EXPECT_EQ(c.cut(inside), wanted);
      EXPECT_TRUE((inside >> source & 1) != 0 && (inside >> sink & 1) == 0);
      EXPECT_EQ(flow.run(source, sink, wanted / 2), wanted / 2);
      for (std::uint32_t i = 0; i < std::min<std::size_t>(4, c.arcs.size()); ++i) {
        const std::uint32_t changed = draw.below(static_cast<std::uint32_t>(c.arcs.size()));
        c.capacities[changed] = draw.below(2) * draw.below(20);  // often nothing
        flow.set_capacity(changed, c.capacities[changed]);
        EXPECT_EQ(flow.capacity(changed), c.capacities[changed]);
      }
    }
  }
}

TEST(MaxFlowTest, TakesTheLargestCapacitiesAndTheLongestWays) {
  constexpr std::uint32_t nodes = 200'000;
  std::vector<MaxFlow::Arc> arcs;
  for (std::uint32_t i = 0; i + 1 < nodes; ++i) arcs.push_back({i, i + 1});
  MaxFlow flow(nodes, arcs);
  for (std::uint32_t i = 0; i + 1 < nodes; ++i) flow.set_capacity(i, no_limit);
  EXPECT_EQ(flow.run(0, nodes - 1, no_limit), no_limit);
  flow.set_capacity(nodes / 2, 7);
  EXPECT_EQ(flow.run(0, nodes - 1, no_limit), 7);
  EXPECT_TRUE(flow.on_source_side(nodes / 2));
  EXPECT_FALSE(flow.on_source_side(nodes / 2 + 1));
  EXPECT_EQ(flow.run(nodes - 1, 0, no_limit), 0);
}

}  // namespace
