// SPDX-License-Identifier: MIT
#include "collectives/families.h"

#include "core/diagnostic.h"
#include "core/units.h"

namespace convert::collectives {

AlgorithmBuilder in_place_builder(const CollectiveRequest& r, std::int64_t parts, std::int64_t slices) {
  return {r.collective, r.ranks, parts * slices, r.protocol, true, r.largest_call};
}

std::string algorithm_name(const CollectiveRequest& r) {
  std::string text = std::string(msccl_name(r.collective)) + "_" + r.algorithm + "_n" + std::to_string(r.ranks);
  if (r.chunks > 1) text += "_k" + std::to_string(r.chunks);
  return text;
}

void require_channels(const CollectiveRequest& r, std::int32_t channels_per_slice, std::int32_t slices) {
  const std::int64_t needed = std::int64_t{channels_per_slice} * slices;
  if (needed <= max_channels) return;
  const std::int32_t possible = max_channels / (channels_per_slice * (slices / r.chunks));
  throw usage_error("algorithm " + r.algorithm + " requires " + std::to_string(needed) + " channels for " +
                    counted(r.ranks, "rank") + " and chunks=" + std::to_string(r.chunks) + "; the limit is " +
                    std::to_string(max_channels) +
                    (possible > 0 ? ", which is enough for chunks=" + std::to_string(possible) : ""));
}

Chunks chunk_of(const CollectiveRequest& r, std::int32_t part, std::int32_t parts, std::int32_t slice,
                std::int32_t slices) {
  const bool by_rank = r.collective == Collective::all_gather || r.collective == Collective::reduce_scatter ||
                       r.collective == Collective::all_to_all;
  const Buffer buffer = r.collective == Collective::all_gather ? Buffer::output : Buffer::input;
  return {buffer, by_rank ? part * slices + slice : slice * parts + part, 1};
}

Group whole_group(const CollectiveRequest& r, std::int32_t parts, std::int32_t slice, std::int32_t slices,
                  std::int32_t channel) {
  Group g;
  g.channel = channel;
  for (std::int32_t i = 0; i < r.ranks; ++i) g.ranks.push_back(i);
  for (std::int32_t p = 0; p < parts; ++p) g.parts.push_back({chunk_of(r, p, parts, slice, slices)});
  return g;
}

void run_scheme(AlgorithmBuilder& b, const CollectiveRequest& r, const GroupScheme& scheme, const Group& g) {
  if (r.collective != Collective::all_gather) scheme.reduce_scatter(b, g);
  if (r.collective != Collective::reduce_scatter) scheme.all_gather(b, g);
}

Algorithm build_flat(const CollectiveRequest& r, const GroupScheme& scheme, std::int32_t parts) {
  const auto add = [&](AlgorithmBuilder& b, const Group& g) { run_scheme(b, r, scheme, g); };
  return build_slices(r, parts, r.chunks, scheme.channels(r.ranks), add);
}

}  // namespace convert::collectives
