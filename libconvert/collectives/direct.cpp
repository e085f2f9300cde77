// SPDX-License-Identifier: MIT
#include "collectives/families.h"

namespace convert::collectives {
namespace {

// Most threadblocks with a peer on one channel of a GPU in the runtimes.
constexpr std::int32_t peers_per_channel = 32;

// Adds a round in which member i sends shard part(i, j) to each member j.
template <class Part>
void exchange(AlgorithmBuilder& b, const Group& g, Arrival arrival, const Part& part) {
  Round round;
  for (std::int32_t t = 1; t < g.size(); ++t) {
    for (std::int32_t i = 0; i < g.size(); ++i)
      round.add(distance_hop(g, i, t), arrival, g.part(part(i, (i + t) % g.size())));
  }
  b.run(round);
}

Algorithm build_all_to_all(const CollectiveRequest& r, bool in_turn) {
  const std::int32_t n = r.ranks;
  const std::int32_t channels = direct_channels(n);
  require_channels(r, channels, r.chunks);
  AlgorithmBuilder b(r.collective, n, std::int64_t{n} * r.chunks, r.protocol, false, r.largest_call);
  Round all;
  for (std::int32_t k = 0; k < r.chunks; ++k) {
    const Group g = whole_group(r, n, k, r.chunks, k * channels);
    for (std::int32_t t = 1; t < n; ++t) {
      Round round;
      for (std::int32_t i = 0; i < n; ++i) {
        const Chunks src = g.part((i + t) % n).front();
        const Chunks dst{Buffer::output, g.part(i).front().first, 1};
        (in_turn ? round : all).add(distance_hop(g, i, t), Arrival::store, std::vector<Piece>{{src, dst}});
      }
      b.run(round, true);
    }
  }
  b.run(all);
  for (std::int32_t i = 0; i < n; ++i)
    b.copy(i, {Buffer::input, i * r.chunks, r.chunks}, {Buffer::output, i * r.chunks, r.chunks});
  return b.finish(algorithm_name(r));
}

}  // namespace

std::int32_t direct_channels(std::int32_t members) {
  return (members - 1 + peers_per_channel - 1) / peers_per_channel;
}

Hop distance_hop(const Group& g, std::int32_t member, std::int32_t distance) {
  return {g.rank(member), g.rank((member + distance) % g.size()), g.channel + (distance - 1) / peers_per_channel,
          distance, distance};
}

void direct_reduce_scatter(AlgorithmBuilder& b, const Group& g) {
  exchange(b, g, Arrival::reduce, [](std::int32_t, std::int32_t to) { return to; });
}

void direct_all_gather(AlgorithmBuilder& b, const Group& g) {
  exchange(b, g, Arrival::store, [](std::int32_t from, std::int32_t) { return from; });
}

// All messages are sent before a received value is added to the data.
void direct_one_shot(AlgorithmBuilder& b, const Group& g) {
  exchange(b, g, Arrival::reduce, [](std::int32_t, std::int32_t) { return 0; });
}

Algorithm build_direct(const CollectiveRequest& r) {
  if (r.collective == Collective::all_to_all) return build_all_to_all(r, false);
  if (r.collective == Collective::all_reduce)
    return build_slices(r, 1, r.chunks, direct_channels(r.ranks), direct_one_shot);
  return build_flat(r, direct_scheme, r.ranks);
}

Algorithm build_all_pairs(const CollectiveRequest& r) { return build_flat(r, direct_scheme, r.ranks); }

Algorithm build_pairwise(const CollectiveRequest& r) { return build_all_to_all(r, true); }

}  // namespace convert::collectives
