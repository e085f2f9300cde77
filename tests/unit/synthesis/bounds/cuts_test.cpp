// SPDX-License-Identifier: MIT
// Cuts of small random networks compared with the worst of all sets of devices.
#include "synthesis/bounds/cuts.h"

#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "common/error_text.h"
#include "sanitized.h"
#include "unit/synthesis/random_graphs.h"

namespace {

using namespace convert;
using test::SynthesisDraw;

using DeviceSet = std::uint32_t;  // bit d: device d

std::int64_t bandwidth_of(const LinkGraph& graph, DeviceSet inside) {
  std::int64_t sum = 0;
  for (const LinkGraph::Link& l : graph.links) {
    if ((inside >> l.from & 1) != 0 && (inside >> l.to & 1) == 0) sum += l.bandwidth;
  }
  return sum;
}

// The largest ratio of the shards that must leave a set to the bandwidth out of it.
Fraction worst_of_all(const LinkGraph& graph, const std::function<std::int64_t(DeviceSet)>& parts) {
  Fraction worst;
  for (DeviceSet inside = 1; inside + 1 < 1U << graph.devices; ++inside) {
    const std::int64_t leave = parts(inside);
    if (leave == 0) continue;
    const Fraction ratio{leave, bandwidth_of(graph, inside)};
    if (less(worst, ratio)) worst = ratio;
  }
  return reduced(static_cast<WideUnsigned>(worst.numerator), static_cast<WideUnsigned>(worst.denominator));
}

struct CutCase {
  SynthesisProblem problem;
  DeviceSet all = 0, root = 0;  // participants

  explicit CutCase(SynthesisProblem p) : problem(std::move(p)) {
    for (const Device d : problem.participants) all |= 1U << d;
    root = 1U << problem.root;
  }
  [[nodiscard]] std::int64_t gathered(DeviceSet inside) const {
    return (inside & all) == all ? 0 : std::popcount(inside & all);
  }
  [[nodiscard]] std::int64_t broadcast(DeviceSet inside) const {
    return (inside & root) != 0 && (inside & all) != all ? 1 : 0;
  }
  [[nodiscard]] std::int64_t scattered(DeviceSet inside) const {
    return (inside & root) != 0 ? std::popcount(all & ~inside) : 0;
  }
};

void expect_cut(const LinkGraph& graph, const WorstCut& worst, std::uint32_t participants,
                const std::function<std::int64_t(DeviceSet)>& parts) {
  DeviceSet inside = 0;
  for (const Device d : worst.cut.devices) inside |= 1U << d;
  EXPECT_EQ(worst.cut.parts, parts(inside));
  EXPECT_EQ(worst.cut.bandwidth, bandwidth_of(graph, inside));
  const Fraction ratio = worst.cut.ratio();
  EXPECT_EQ(reduced(static_cast<WideUnsigned>(ratio.numerator), static_cast<WideUnsigned>(ratio.denominator)),
            worst_of_all(graph, parts));
  EXPECT_LE(worst.flows, 2 * participants);  // one, and one for each cut found
}

TEST(CutsTest, AreTheWorstOfAllSets) {
  SynthesisDraw draw(7);
  for (int round = 0; round < test::rounds(600); ++round) {
    const NetworkConfig network = test::random_network(draw, 7, 3);
    const auto group = test::random_group(draw, network.graph.npus);
    const CutCase c(test::problem_of(network, Collective::broadcast, 1, group, draw.of(group)));
    const LinkGraph back = reversed(c.problem.graph);
    const auto& members = c.problem.participants;
    const std::uint32_t n = c.problem.size();
    for (const LinkGraph& graph : {c.problem.graph, back}) {
      expect_cut(graph, worst_gather_cut(graph, members), n, [&](DeviceSet x) { return c.gathered(x); });
      expect_cut(graph, worst_broadcast_cut(graph, members, c.problem.root), n,
                 [&](DeviceSet x) { return c.broadcast(x); });
      expect_cut(graph, worst_scatter_cut(graph, members, c.problem.root), n,
                 [&](DeviceSet x) { return c.scattered(x); });
    }
  }
}

TEST(CutsTest, OfTheReversedGraphHaveTheSameLinks) {
  SynthesisDraw draw(8);
  const auto p = test::problem_of(test::random_network(draw, 9, 3), Collective::all_gather);
  const LinkGraph back = reversed(p.graph);
  const DeviceCut cut = worst_gather_cut(back, p.participants).cut;
  const DeviceCut other = opposite(cut, back.devices);
  DeviceSet inside = 0;
  for (const Device d : other.devices) inside |= 1U << d;
  EXPECT_EQ(bandwidth_of(p.graph, inside), cut.bandwidth);
  EXPECT_EQ(cut.devices.size() + other.devices.size(), p.graph.devices);
}

TEST(CutsTest, OfOneParticipantThereIsNone) {
  const auto p = test::problem_of(parse_short_network("ring:4,bw=50GB/s"), Collective::broadcast, 1, {{2}}, 2);
  EXPECT_TRUE(worst_gather_cut(p.graph, p.participants).cut.devices.empty());
  EXPECT_TRUE(worst_broadcast_cut(p.graph, p.participants, 2).cut.devices.empty());
  EXPECT_TRUE(worst_scatter_cut(p.graph, p.participants, 2).cut.devices.empty());
}

// Newton's method takes several cuts here: each box of a chain of boxes is worse than the preceding ones.
TEST(CutsTest, AreFoundOneAfterAnother) {
  NetworkConfig network{.source = "boxes"};
  constexpr std::uint32_t boxes = 8, in_box = 8;
  network.graph.npus = boxes * in_box;
  for (Device d = 0; d < network.graph.npus; ++d) {
    for (Device e = d / in_box * in_box; e < d; ++e) {
      test::add_wire(network.graph, d, e, 1000);
      test::add_wire(network.graph, e, d, 1000);
    }
  }
  for (std::uint32_t b = 0; b + 1 < boxes; ++b) {
    test::add_wire(network.graph, b * in_box, (b + 1) * in_box, 50 - b);
    test::add_wire(network.graph, (b + 1) * in_box, b * in_box, 50 + b);
  }
  const auto p = test::problem_of(network, Collective::all_gather);
  const WorstCut worst = worst_gather_cut(p.graph, p.participants);
  EXPECT_EQ(worst.cut.parts, 56);
  EXPECT_EQ(worst.cut.bandwidth * p.graph.unit, 44'000'000'000);
  EXPECT_LE(worst.flows, p.size() + boxes);
}

TEST(CutsTest, RefuseNumbersThatAreTooLarge) {
  NetworkConfig network{.source = "two.yml"};
  network.graph.npus = 64;
  for (Device d = 0; d < 64; ++d) test::add_wire(network.graph, d, (d + 1) % 64, d == 0 ? 1e-9 : 4e7);
  const auto p = test::problem_of(network, Collective::all_gather);
  EXPECT_EQ(p.graph.unit, 1);
  EXPECT_EQ(test::error_text([&] { (void)worst_gather_cut(p.graph, p.participants); }), "");
  network.graph.wires[5].bytes_per_ns = 8e7;
  const auto q = test::problem_of(network, Collective::all_gather);
  EXPECT_NE(test::error_text([&] {
              (void)worst_gather_cut(q.graph, q.participants);
            }).find("too small a common divisor for exact numbers with 64 NPUs"),
            std::string::npos);
}

TEST(CutsTest, TakeAMillionLinks) {
  const auto p =
      test::problem_of(parse_short_network("fully_connected:" + std::to_string(test::rounds(1001)) + ",bw=50GB/s"),
                       Collective::all_gather);
  EXPECT_EQ(worst_gather_cut(p.graph, p.participants).cut.ratio(),
            (Fraction{static_cast<std::int64_t>(p.size()) - 1, static_cast<std::int64_t>(p.size()) - 1}));
}

}  // namespace
