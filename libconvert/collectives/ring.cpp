// SPDX-License-Identifier: MIT
#include "collectives/families.h"

namespace convert::collectives {
namespace {

// Round t: member i passes shard (i + shift - t) to member i+1. One threadblock per rank receives and sends.
void add_rounds(const Group& g, std::int32_t shift, Arrival arrival, std::vector<Round>& to) {
  const std::int32_t n = g.size();
  for (std::int32_t t = 0; t < n - 1; ++t) {
    Round& round = to.emplace_back();
    for (std::int32_t i = 0; i < n; ++i) {
      const std::int32_t part = (i + shift - t + n) % n;
      round.add({g.rank(i), g.rank((i + 1) % n), g.channel, 0, 0}, arrival, g.part(part));
    }
  }
}

void pass_around(AlgorithmBuilder& b, const Group& g, std::int32_t shift, Arrival arrival) {
  std::vector<Round> rounds;
  add_rounds(g, shift, arrival, rounds);
  for (const Round& round : rounds) b.run(round);
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
  const auto channels = static_cast<std::int32_t>(rings.size());
  const std::int32_t slices = channels * r.chunks;
  AlgorithmBuilder b = in_place_builder(r, r.ranks, slices);
  for (std::int32_t c = 0; c < channels; ++c) {
    Group g{.ranks = rings[static_cast<std::size_t>(c)], .parts = {}, .channel = c};
    for (const std::int32_t rank : g.ranks) {
      std::vector<Chunks>& part = g.parts.emplace_back();
      for (std::int32_t k = 0; k < r.chunks; ++k)
        part.push_back(chunk_of(r, rank, r.ranks, c * r.chunks + k, slices));
    }
    std::vector<Round> rounds;
    if (r.collective != Collective::all_gather) add_rounds(g, -1, Arrival::reduce, rounds);
    if (r.collective != Collective::reduce_scatter) add_rounds(g, 0, Arrival::store, rounds);
    b.relay(rounds);
  }
  return b.finish(algorithm_name(r));
}

}  // namespace convert::collectives
