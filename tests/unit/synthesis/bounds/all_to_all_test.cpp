// SPDX-License-Identifier: MIT
#include "synthesis/bounds/all_to_all.h"

#include <gtest/gtest.h>

#include "sanitized.h"
#include "unit/synthesis/random_graphs.h"

namespace {

using namespace convert;
using test::SynthesisDraw;

// Sum of the shortest routes of all pairs, trying every device on the route (Floyd and Warshall).
std::int64_t sum_of_distances(const LinkGraph& graph, const std::vector<Device>& members,
                              const std::vector<std::int64_t>& lengths) {
  constexpr std::int64_t far = INT64_MAX / 4;
  const std::size_t n = graph.devices;
  std::vector<std::int64_t> distance(n * n, far);
  for (std::size_t d = 0; d < n; ++d) distance[d * n + d] = 0;
  for (std::size_t l = 0; l < lengths.size(); ++l)
    distance[graph.links[l].from * n + graph.links[l].to] = lengths[l];
  for (std::size_t by = 0; by < n; ++by) {
    for (std::size_t from = 0; from < n; ++from) {
      for (std::size_t to = 0; to < n; ++to)
        distance[from * n + to] =
            std::min(distance[from * n + to], distance[from * n + by] + distance[by * n + to]);
    }
  }
  std::int64_t sum = 0;
  for (const Device from : members) {
    for (const Device to : members) sum += distance[from * n + to];
  }
  return sum;
}

TEST(AllToAllTest, ProvesWhatItSays) {
  SynthesisDraw draw(3);
  int near = 0;
  for (int round = 0; round < test::rounds(100); ++round) {
    const NetworkConfig network = test::random_network(draw, 12, 4);
    const auto p =
        test::problem_of(network, Collective::all_to_all, 1, test::random_group(draw, network.graph.npus));
    const LengthBound bound = all_to_all_lengths(p.graph, p.participants);
    EXPECT_EQ(bound.distance, sum_of_distances(p.graph, p.participants, bound.lengths));
    std::int64_t capacity = 0;
    for (std::size_t l = 0; l < p.graph.links.size(); ++l)
      capacity += bound.lengths[l] * p.graph.links[l].bandwidth;
    EXPECT_EQ(bound.capacity, capacity);
    EXPECT_LE(bound.ratio(), bound.reached * (1 + 1e-9));  // no flow is below the bound
    near += bound.ratio() > bound.reached * 0.95 ? 1 : 0;
  }
  EXPECT_GE(near, test::rounds(100) * 3 / 4);
}

TEST(AllToAllTest, CutsHaveThePartsOfAllPairs) {
  SynthesisDraw draw(4);
  for (int round = 0; round < test::rounds(100); ++round) {
    const NetworkConfig network = test::random_network(draw, 12, 4);
    const auto p =
        test::problem_of(network, Collective::all_to_all, 1, test::random_group(draw, network.graph.npus));
    const DeviceCut cut = worst_exchange_cut(p.graph, p.participants, all_to_all_lengths(p.graph, p.participants));
    std::vector<std::uint8_t> inside(p.graph.devices, 0);
    std::int64_t members = 0, bandwidth = 0;
    for (const Device d : cut.devices) {
      inside[d] = 1;
      members += p.takes_part[d];
    }
    for (const std::uint32_t l : links_out_of(p.graph, inside)) bandwidth += p.graph.links[l].bandwidth;
    EXPECT_EQ(cut.parts, members * (p.size() - members));
    EXPECT_EQ(cut.bandwidth, bandwidth);
    for (const Device d : p.participants) {
      EXPECT_FALSE(less(cut.ratio(), {p.size() - 1, bandwidth_in(p.graph, d)}));
      EXPECT_FALSE(less(cut.ratio(), {p.size() - 1, bandwidth_out(p.graph, d)}));
    }
  }
}

TEST(AllToAllTest, CutsAMeshInHalves) {
  const auto p = test::problem_of(parse_short_network("mesh:6x3,bw=50GB/s"), Collective::all_to_all);
  const DeviceCut cut = worst_exchange_cut(p.graph, p.participants, all_to_all_lengths(p.graph, p.participants));
  EXPECT_EQ(cut.parts, 81);
  EXPECT_EQ(cut.bandwidth, 3);
}

TEST(AllToAllTest, IsTightWhereAllLinksAreAlike) {
  for (const char* text : {"ring:8,bw=50GB/s", "torus:4x4,bw=50GB/s", "hypercube:16,bw=50GB/s",
                           "fully_connected:5,bw=50GB/s", "switch:6,bw=50GB/s"}) {
    const auto p = test::problem_of(parse_short_network(text), Collective::all_to_all);
    const LengthBound bound = all_to_all_lengths(p.graph, p.participants);
    EXPECT_NEAR(bound.ratio() / bound.reached, 1, 1e-4) << text;
  }
  const auto one = test::problem_of(parse_short_network("ring:4,bw=50GB/s"), Collective::all_to_all, 1, {{3}});
  EXPECT_EQ(all_to_all_lengths(one.graph, one.participants).distance, 0);
}

}  // namespace
