// SPDX-License-Identifier: MIT
#include "synthesis/exact/exact.h"

#include <gtest/gtest.h>

#include <map>

#include "common/expect_error.h"
#include "synthesis/mirror.h"
#include "synthesis/portfolio.h"
#include "unit/synthesis/random_graphs.h"

namespace {

using namespace convert;

// Cycles through random devices, with others between all devices: each device has equal bandwidth in and out.
NetworkConfig even_network(test::SynthesisDraw& draw, std::uint32_t npus, std::uint32_t switches) {
  NetworkConfig out{.source = "random"};
  out.graph.npus = npus;
  out.graph.switches = switches;
  std::vector<Device> order(out.graph.devices());
  std::iota(order.begin(), order.end(), Device{0});
  std::map<std::pair<Device, Device>, double> rates;
  for (std::uint32_t circle = 0; circle < 2 + draw.below(3); ++circle) {
    draw.shuffle(order);
    const std::size_t length = circle == 0 ? order.size() : 2 + draw.below(out.graph.devices() - 1);
    const double rate = 25.0 * (1 + draw.below(3));
    for (std::size_t i = 0; i < length; ++i) rates[{order[i], order[(i + 1) % length]}] += rate;
  }
  for (const auto& [ends, rate] : rates) test::add_wire(out.graph, ends.first, ends.second, rate);
  return out;
}

std::vector<Device> roots_of(const SynthesisProblem& problem) {
  return has_root(problem.collective) ? std::vector<Device>{problem.root} : problem.participants;
}

void expect_tree(const SynthesisProblem& problem, const TreePacking::Tree& tree) {
  std::vector<std::uint8_t> reached(problem.graph.devices, 0), come(problem.graph.devices, 0);
  reached[tree.root] = 1;
  for (const TreeArc& arc : tree.arcs) {
    ASSERT_EQ(reached[arc.from], 1) << "from " << arc.from;
    Device at = arc.from;
    for (std::uint32_t k = arc.way.begin; k < arc.way.begin + arc.way.count; ++k) {
      const LinkGraph::Link& link = problem.graph.links[tree.links[k]];
      ASSERT_EQ(link.from, at);
      at = link.to;
      if (problem.graph.is_npu(at)) {
        ASSERT_EQ(std::exchange(come[at], 1), 0) << "comes twice to " << at;
      }
      if (k + 1 < arc.way.begin + arc.way.count) {
        ASSERT_EQ(problem.takes_part[at], 0);
      }
    }
    ASSERT_EQ(at, arc.to);
    reached[arc.to] = 1;
  }
  for (const Device d : problem.participants) EXPECT_EQ(reached[d], 1) << d;
}

void expect_packing(const SynthesisProblem& problem, const TreeScale& scale, const TreePacking& packing) {
  const std::vector<Device> roots = roots_of(problem);
  ASSERT_EQ(packing.of_root, scale.trees);
  ASSERT_EQ(packing.trees.size(), roots.size() * packing.of_root);
  std::vector<std::int64_t> loads(problem.graph.links.size(), 0);
  for (std::size_t t = 0; t < packing.trees.size(); ++t) {
    EXPECT_EQ(packing.trees[t].root, roots[t / packing.of_root]);
    expect_tree(problem, packing.trees[t]);
    for (const std::uint32_t l : packing.trees[t].links) ++loads[l];
  }
  for (std::uint32_t l = 0; l < loads.size(); ++l) EXPECT_LE(loads[l], scale.capacities[l]) << "link " << l;
}

// Packs with all choices. Returns the number of packings; unless `all` is set, some may be missing.
int expect_packings(const SynthesisProblem& problem, bool all = true) {
  const std::vector<Device> roots = roots_of(problem);
  const ExactPacker packer(problem, roots);
  int packed = 0;
  const std::vector<TreeScale> scales = packer.scales(std::nullopt);
  EXPECT_FALSE(scales.empty());
  for (const TreeScale& scale : scales) {
    for (const bool together : {true, false}) {
      for (const bool prune : {true, false}) {
        const auto packing =
            packer.pack(scale, {.split = {.prune = prune, .far_first = together}, .grow = {.together = together}});
        EXPECT_TRUE(packing || !all);
        if (!packing) continue;
        expect_packing(problem, scale, *packing);
        EXPECT_GE(packing->load, 1);
        ++packed;
      }
    }
  }
  return packed;
}

TEST(ExactPackerTest, PacksRandomNetworksOfNpus) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    test::SynthesisDraw draw(seed);
    const NetworkConfig network = even_network(draw, 3 + draw.below(6), 0);
    expect_packings(test::problem_of(network, Collective::all_gather));
    expect_packings(test::problem_of(network, Collective::broadcast));
  }
}

TEST(ExactPackerTest, PacksRandomNetworksOfSwitchesAndGroups) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    test::SynthesisDraw draw(seed);
    const std::uint32_t npus = 4 + draw.below(5);
    const NetworkConfig network = even_network(draw, npus, draw.below(4));
    const std::vector<Rank> group = test::random_group(draw, npus);
    expect_packings(test::problem_of(network, Collective::all_gather, 1 << 20, group));
    expect_packings(test::problem_of(network, Collective::broadcast, 1 << 20, group));
  }
}

TEST(ExactPackerTest, PacksLopsidedNetworksWhereAllTakePart) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    test::SynthesisDraw draw(seed);
    const NetworkConfig network = test::random_network(draw, 8, 0);
    expect_packings(test::problem_of(network, Collective::all_gather));
    expect_packings(test::problem_of(network, Collective::broadcast));
  }
}

TEST(ExactPackerTest, LoadsLinksAsTheBoundSays) {
  const struct {
    const char* network;
    std::int64_t trees;
  } cases[] = {{"ring:8,bw=50GB/s", 2}, {"switch:8,bw=50GB/s", 1}, {"torus:4x4,bw=50GB/s", 4}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.network);
    const auto problem = test::problem_of(parse_short_network(c.network), Collective::all_gather);
    const ExactPacker packer(problem, problem.participants);
    const auto scales = packer.scales(std::nullopt);
    ASSERT_FALSE(scales.empty());
    EXPECT_EQ(scales.front().trees, c.trees);
    const auto packing = packer.pack(scales.front(), {});
    ASSERT_TRUE(packing);
    EXPECT_EQ(packing->load, 1);
  }
}

TEST(ExactPackerTest, TakesFewTreesWhereTheBoundWantsMany) {
  NetworkConfig network{.source = "uneven"};
  network.graph.npus = 4;
  const double rates[] = {43.478, 50, 75.1, 61.7};
  for (Device d = 0; d < 4; ++d) {
    test::add_wire(network.graph, d, (d + 1) % 4, rates[d]);
    test::add_wire(network.graph, (d + 1) % 4, d, rates[d]);
  }
  const auto problem = test::problem_of(network, Collective::all_gather);
  const ExactPacker packer(problem, problem.participants);
  const auto scales = packer.scales(std::nullopt);
  ASSERT_FALSE(scales.empty());
  for (const TreeScale& s : scales) EXPECT_LE(s.trees, 12);
  const auto packing = packer.pack(scales.front(), {});
  ASSERT_TRUE(packing);
  EXPECT_GT(packing->load, 1);
  EXPECT_LT(packing->load, 1.1);
  expect_packings(problem);
  for (const TreeScale& s : packer.scales(9)) EXPECT_EQ(9 % s.trees, 0) << s.trees;
}

TEST(ExactPackerTest, RefusesSwitchesWithLessOutThanIn) {
  NetworkConfig network{.source = "star"};
  network.graph.npus = 4;
  network.graph.switches = 1;
  for (Device d = 0; d < 4; ++d) {
    test::add_wire(network.graph, d, 4, 50);
    test::add_wire(network.graph, 4, d, d == 1 ? 25 : 50);
  }
  const auto problem = test::problem_of(network, Collective::all_gather);
  const ExactPacker packer(problem, problem.participants);
  EXPECT_EQ(packer.uneven(), Device{4});
  EXPECT_TRUE(packer.scales(std::nullopt).empty());
  SynthesisChoice choice{.methods = {SynthesisMethod::exact}};
  EXPECT_EQ(test::error_message([&] { (void)synthesize(problem, choice); }, Error::Kind::usage),
            "method exact requires as much bandwidth into " + problem.wires.device_name(4) +
                " as out of it, since it does not take part; use trees");
  choice.methods.push_back(SynthesisMethod::greedy);
  EXPECT_EQ(test::error_message([&] { (void)synthesize(problem, choice); }, Error::Kind::usage),
            "method greedy requires a network without switches in which all NPUs take part; use trees");
  choice.methods.clear();
  EXPECT_GT(synthesize(problem, choice).made.total, 0);
}

// NPUs that do not take part do not reduce.
TEST(ExactPackerTest, ReductionsCutNoWaysApart) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    test::SynthesisDraw draw(seed);
    const NetworkConfig network = even_network(draw, 8, 0);
    const auto problem =
        opposite_of(test::problem_of(network, Collective::reduce_scatter, 1 << 20, test::random_group(draw, 8)));
    EXPECT_TRUE(problem.turned);
    const std::vector<Device> roots = roots_of(problem);
    const ExactPacker packer(problem, roots);
    for (const TreeScale& scale : packer.scales(std::nullopt)) {
      const auto packing = packer.pack(scale, {});
      if (!packing) continue;
      for (const TreePacking::Tree& t : packing->trees) EXPECT_EQ(t.arcs.size(), problem.size() - 1);
    }
  }
}

TEST(ExactPackerTest, MakesSchedulesNearTheBound) {
  const auto network = parse_short_network("switch:8,bw=50GB/s,lat=500ns");
  const SynthesisChoice choice{.methods = {SynthesisMethod::exact}};
  for (const Collective c : {Collective::all_gather, Collective::reduce_scatter}) {
    const SynthesisResult made = synthesize(test::problem_of(network, c, 16 << 20), choice);
    EXPECT_LT(static_cast<double>(made.made.total), 1.01 * static_cast<double>(made.bounds.lower));
    EXPECT_EQ(made.made.method.substr(0, 5), "exact");
  }
  for (const Collective c : {Collective::broadcast, Collective::reduce}) {
    const SynthesisResult made =
        synthesize(test::problem_of(parse_short_network("torus:4x4,bw=50GB/s,lat=500ns"), c, 4 << 20), choice);
    EXPECT_LT(static_cast<double>(made.made.total), 1.05 * static_cast<double>(made.bounds.lower));
  }
}

}  // namespace
