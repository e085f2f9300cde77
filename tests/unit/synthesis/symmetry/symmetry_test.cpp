// SPDX-License-Identifier: MIT
// Every result is a symmetry; the symmetry of known networks is found completely.
#include "synthesis/symmetry/symmetry.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "sanitized.h"
#include "unit/synthesis/rails.h"
#include "unit/synthesis/random_graphs.h"

namespace {

using namespace convert;

using Roots = std::vector<Device>;

// Each element maps links to links and participants to participants; only the identity maps an NPU or a link to
// itself.
void expect_symmetry(const SynthesisProblem& problem, const NetworkSymmetry& s) {
  const LinkGraph& graph = problem.graph;
  const LinkFinder links(graph);
  std::vector<std::set<std::uint32_t>> link_images(graph.links.size());
  for (const std::vector<Device>& image : s.images) {
    ASSERT_EQ(std::set(image.begin(), image.end()).size(), graph.devices);
    for (Device d = 0; d < graph.npus; ++d) {
      EXPECT_EQ(problem.takes_part[d], problem.takes_part[image[d]]);
      if (&image != &s.images[0]) {
        EXPECT_NE(image[d], d);
      }
    }
    for (std::uint32_t l = 0; l < graph.links.size(); ++l) {
      const std::uint32_t to = links.find(image[graph.links[l].from], image[graph.links[l].to]);
      ASSERT_NE(to, no_index);
      EXPECT_EQ(graph.links[to].bandwidth, graph.links[l].bandwidth);
      EXPECT_EQ(graph.links[to].latency_ps, graph.links[l].latency_ps);
      EXPECT_EQ(s.link_class[to], s.link_class[l]);
      link_images[l].insert(to);
    }
  }
  for (const auto& images : link_images) EXPECT_EQ(images.size(), s.order());
  EXPECT_EQ(s.roots.size() * s.order(), problem.size());
}

std::string found(const NetworkConfig& network, const std::optional<std::vector<Rank>>& group = std::nullopt) {
  const SynthesisProblem problem = test::problem_of(network, Collective::all_gather, 1 << 20, group);
  const std::optional<NetworkSymmetry> s = find_symmetry(problem);
  if (!s) return "none";
  expect_symmetry(problem, *s);
  std::string text = std::to_string(s->order()) + ":";
  for (const Device d : s->roots) text += ' ' + std::to_string(d);
  return text;
}
std::string found(const char* network, const std::optional<std::vector<Rank>>& group = std::nullopt) {
  return found(parse_short_network(network), group);
}

TEST(NetworkSymmetry, OfKnownNetworks) {
  EXPECT_EQ(found("ring:6,bw=50GB/s"), "6: 0");
  EXPECT_EQ(found("torus:4x2x3,bw=50GB/s"), "24: 0");
  EXPECT_EQ(found("hypercube:8,bw=50GB/s"), "8: 0");
  EXPECT_EQ(found("switch:5,bw=50GB/s"), "5: 0");
  EXPECT_EQ(found("fully_connected:4,bw=200GB/s+ring:3,bw=50GB/s"), "12: 0");
  EXPECT_EQ(found("mesh:4,bw=50GB/s"), "none");
  EXPECT_EQ(found(test::rails(4, 3)), "12: 0");
}

TEST(NetworkSymmetry, OfWhatIsNotTheSameEverywhere) {
  NetworkConfig one_slow = test::rails(4, 3);
  one_slow.graph.wires[0].latency_ps += 1;
  EXPECT_EQ(found(one_slow), "none");
  // All NPUs 0 of hosts are equivalent, and different from the others.
  NetworkConfig first = test::rails(4, 3);
  for (GraphWire& w : first.graph.wires) {
    if (w.from % 3 == 0 && w.from < 12) w.latency_ps += 1;
  }
  EXPECT_EQ(found(first), "4: 0 1 2");
  EXPECT_EQ(found(test::rails(4, 3), std::vector<Rank>{0, 1, 3, 4, 6, 7, 9, 10}), "4: 0 1");
  EXPECT_EQ(found("torus:4x4,bw=50GB/s", std::vector<Rank>{4, 5, 6, 7}), "4: 4");
}

TEST(NetworkSymmetry, OfSwitchesThatShareLinks) {
  // Rotations within leaves would map the links between leaf and spine to themselves.
  EXPECT_EQ(found("tree:4x3,bw=50GB/s|100GB/s"), "3: 0 1 2 3");
}

// Random links, each with its images under rotations of one digit.
TEST(NetworkSymmetry, OfRandomNetworksOfLikeParts) {
  for (std::uint64_t seed = 1; seed <= test::rounds(200); ++seed) {
    test::SynthesisDraw draw(seed);
    const std::uint32_t stride = 1 + draw.below(4), length = 2 + draw.below(4);
    NetworkConfig network{.source = "random"};
    const std::uint32_t npus = network.graph.npus = stride * length * (1 + draw.below(2));
    const auto turned = [&](Device n) {
      return n / stride % length + 1 == length ? n - (length - 1) * stride : n + stride;
    };
    for (std::uint32_t more = 1 + draw.below(6); more > 0; --more) {
      NetworkConfig one{.source = "random"};
      test::add_random_wire(one.graph, draw, draw.below(npus), draw.below(npus));
      for (GraphWire w : one.graph.wires) {
        for (std::uint32_t k = 0; k < length; ++k) {
          test::add_wire(network.graph, w.from, w.to, w.bytes_per_ns, w.latency_ps);
          w.from = turned(w.from);
          w.to = turned(w.to);
        }
      }
    }
    for (Device a = 0; a < npus; ++a) {
      for (Device b = 0; b < npus; ++b) test::add_wire(network.graph, a, b, 10, 1000);
    }
    const std::string text = found(network);
    ASSERT_NE(text, "none");
    EXPECT_GE(std::stoul(text), length);
  }
}

}  // namespace
