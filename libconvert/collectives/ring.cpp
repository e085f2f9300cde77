// SPDX-License-Identifier: MIT
#include "collectives/families.h"

namespace convert::collectives {
namespace {

// Round t: member i passes part (i + shift - t) on to member i+1. One threadblock per rank receives and sends.
void pass_around(AlgorithmBuilder& b, const Group& g, std::int32_t shift, Arrival arrival) {
  const std::int32_t n = g.size();
  for (std::int32_t t = 0; t < n - 1; ++t) {
    Round round;
    for (std::int32_t i = 0; i < n; ++i) {
      const std::int32_t part = (i + shift - t + n) % n;
      round.add({g.rank(i), g.rank((i + 1) % n), g.channel, 0, 0}, arrival, g.part(part));
    }
    b.run(round);
  }
}

}  // namespace

void ring_reduce_scatter(AlgorithmBuilder& b, const Group& g) { pass_around(b, g, -1, Arrival::reduce); }
void ring_all_gather(AlgorithmBuilder& b, const Group& g) { pass_around(b, g, 0, Arrival::store); }

Algorithm build_ring(const CollectiveRequest& r) { return build_flat(r, ring_scheme, r.ranks); }

Algorithm build_bidirectional_ring(const CollectiveRequest& r) {
  return build_slices(r, r.ranks, 2 * r.chunks, 1, [&](AlgorithmBuilder& b, const Group& g) {
    run_scheme(b, r, ring_scheme, g.channel % 2 == 0 ? g : reversed(g));
  });
}

Algorithm build_rings(const CollectiveRequest& r, std::span<const std::vector<std::int32_t>> rings) {
  const auto slices = static_cast<std::int32_t>(rings.size()) * r.chunks;
  return build_slices(r, r.ranks, slices, 1, [&](AlgorithmBuilder& b, Group g) {
    const auto slice = static_cast<std::size_t>(g.channel);
    const std::vector<std::vector<Chunks>> by_rank = g.parts;
    g.ranks = rings[slice % rings.size()];
    for (std::size_t i = 0; i < g.ranks.size(); ++i) g.parts[i] = by_rank[static_cast<std::size_t>(g.ranks[i])];
    run_scheme(b, r, ring_scheme, g);
  });
}

}  // namespace convert::collectives
