// SPDX-License-Identifier: MIT
// Reduce-scatter, all-gather, and one after the other as all-reduce, among all ranks.
#include "collectives/families.h"

namespace convert::collectives {
namespace {

void run_scheme(ProgramBuilder& b, const CollectiveRequest& r, const GroupScheme& scheme, const Group& g) {
  if (r.collective != Collective::all_gather) scheme.reduce_scatter(b, g);
  if (r.collective != Collective::reduce_scatter) scheme.all_gather(b, g);
}

Algorithm build_flat(const CollectiveRequest& r, const GroupScheme& scheme, std::int32_t parts) {
  const std::int32_t channels = scheme.channels(r.ranks);
  require_channels(r, channels, r.chunks);
  ProgramBuilder b = in_place_program(r, parts, r.chunks);
  for (std::int32_t k = 0; k < r.chunks; ++k)
    run_scheme(b, r, scheme, whole_group(r, parts, k, r.chunks, k * channels));
  return b.finish(program_name(r));
}

// Everyone's data to everyone, added up there: the messages leave before anything is added to what they carry.
Algorithm build_one_shot(const CollectiveRequest& r) {
  const std::int32_t channels = direct_channels(r.ranks);
  require_channels(r, channels, r.chunks);
  ProgramBuilder b = in_place_program(r, 1, r.chunks);
  for (std::int32_t k = 0; k < r.chunks; ++k) {
    const Group g = whole_group(r, 1, k, r.chunks, k * channels);
    Round round;
    for (std::int32_t t = 1; t < r.ranks; ++t) {
      for (std::int32_t i = 0; i < r.ranks; ++i) round.add(distance_link(g, i, t), Arrival::reduce, g.part(0));
    }
    b.run(round);
  }
  return b.finish(program_name(r));
}

Algorithm build_all_to_all(const CollectiveRequest& r, bool in_turn) {
  const std::int32_t n = r.ranks;
  const std::int32_t channels = direct_channels(n);
  require_channels(r, channels, r.chunks);
  ProgramBuilder b(r.collective, n, std::int64_t{n} * r.chunks, r.protocol, false);
  Round all;
  for (std::int32_t k = 0; k < r.chunks; ++k) {
    const Group g = whole_group(r, n, k, r.chunks, k * channels);
    for (std::int32_t t = 1; t < n; ++t) {
      Round round;
      for (std::int32_t i = 0; i < n; ++i) {
        const Chunks src = g.part((i + t) % n).front();
        const Chunks dst{Buffer::output, g.part(i).front().first, 1};
        (in_turn ? round : all).add(distance_link(g, i, t), Arrival::store, std::vector<Piece>{{src, dst}});
      }
      b.run(round, true);
    }
  }
  b.run(all);
  for (std::int32_t i = 0; i < n; ++i)
    b.copy(i, {Buffer::input, i * r.chunks, r.chunks}, {Buffer::output, i * r.chunks, r.chunks});
  return b.finish(program_name(r));
}

}  // namespace

Algorithm build_ring(const CollectiveRequest& r) { return build_flat(r, ring_scheme, r.ranks); }

Algorithm build_bidirectional_ring(const CollectiveRequest& r) {
  const std::int32_t slices = 2 * r.chunks;
  require_channels(r, 1, slices);
  ProgramBuilder b = in_place_program(r, r.ranks, slices);
  for (std::int32_t k = 0; k < slices; ++k) {
    const Group g = whole_group(r, r.ranks, k, slices, k);
    run_scheme(b, r, ring_scheme, k % 2 == 0 ? g : reversed(g));
  }
  return b.finish(program_name(r));
}

Algorithm build_direct(const CollectiveRequest& r) {
  if (r.collective == Collective::all_to_all) return build_all_to_all(r, false);
  if (r.collective == Collective::all_reduce) return build_one_shot(r);
  return build_flat(r, direct_scheme, r.ranks);
}

Algorithm build_all_pairs(const CollectiveRequest& r) { return build_flat(r, direct_scheme, r.ranks); }

Algorithm build_pairwise(const CollectiveRequest& r) { return build_all_to_all(r, true); }

Algorithm build_halving_doubling(const CollectiveRequest& r) {
  // An all-reduce needs no part for each rank, only one for each that halves.
  const std::int32_t parts = r.collective == Collective::all_reduce ? power_below(r.ranks) : r.ranks;
  return build_flat(r, halving_doubling_scheme, parts);
}

}  // namespace convert::collectives
