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
  const auto add = [&](ProgramBuilder& b, const Group& g) { run_scheme(b, r, scheme, g); };
  return build_slices(r, parts, r.chunks, scheme.channels(r.ranks), add);
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
  return build_slices(r, r.ranks, 2 * r.chunks, 1, [&](ProgramBuilder& b, const Group& g) {
    run_scheme(b, r, ring_scheme, g.channel % 2 == 0 ? g : reversed(g));
  });
}

Algorithm build_direct(const CollectiveRequest& r) {
  if (r.collective == Collective::all_to_all) return build_all_to_all(r, false);
  if (r.collective == Collective::all_reduce)
    return build_slices(r, 1, r.chunks, direct_channels(r.ranks), direct_one_shot);
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
