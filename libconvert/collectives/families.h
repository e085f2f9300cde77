// SPDX-License-Identifier: MIT
// Builders listed in collectives.def. Each takes a request with ranks, chunks and root in range.
#pragma once

#include "collectives/collective.h"
#include "collectives/group.h"

namespace convert::collectives {

#define ALGORITHM(id, builder, offered, ranks, summary, source, dims) \
  [[nodiscard]] Algorithm builder(const CollectiveRequest& r);
#include "collectives/collectives.def"
#undef ALGORITHM

// Returns a builder of an in-place algorithm with `parts` × `slices` chunks.
[[nodiscard]] AlgorithmBuilder in_place_builder(const CollectiveRequest& r, std::int64_t parts,
                                                std::int64_t slices);
// Returns a name such as "allreduce_ring_n8_k2", within the runtimes' limit of 63 characters.
[[nodiscard]] std::string algorithm_name(const CollectiveRequest& r);
// Throws Error(usage) if `slices` slices with separate channels exceed the channel limit.
void require_channels(const CollectiveRequest& r, std::int32_t channels_per_slice, std::int32_t slices);
// Returns the chunk of shard `part` in a slice. The shards of a slice are adjacent in the buffer. If the collective
// assigns shards to ranks, the slices of a shard are adjacent instead.
[[nodiscard]] Chunks chunk_of(const CollectiveRequest& r, std::int32_t part, std::int32_t parts, std::int32_t slice,
                              std::int32_t slices);
// Returns the group of all ranks with one slice of each of the `parts` shards.
[[nodiscard]] Group whole_group(const CollectiveRequest& r, std::int32_t parts, std::int32_t slice,
                                std::int32_t slices, std::int32_t channel);

// Returns an in-place algorithm. Calls add(builder, group) for each of `slices` slices with its whole_group(),
// which has its own `channels` channels. Throws like require_channels().
template <class Add>
[[nodiscard]] Algorithm build_slices(const CollectiveRequest& r, std::int32_t parts, std::int32_t slices,
                                     std::int32_t channels, const Add& add) {
  require_channels(r, channels, slices);
  AlgorithmBuilder b = in_place_builder(r, parts, slices);
  for (std::int32_t k = 0; k < slices; ++k) add(b, whole_group(r, parts, k, slices, k * channels));
  return b.finish(algorithm_name(r), r.root.value_or(0));
}

// Adds the collective of the request (all_reduce, all_gather or reduce_scatter) among a group.
void run_scheme(AlgorithmBuilder& b, const CollectiveRequest& r, const GroupScheme& scheme, const Group& g);
// Returns the algorithm that runs a scheme among all ranks, with `parts` shards in each of r.chunks slices.
[[nodiscard]] Algorithm build_flat(const CollectiveRequest& r, const GroupScheme& scheme, std::int32_t parts);

// Implement build_on_rings(): all_reduce, all_gather and reduce_scatter around the rings; broadcast and reduce
// along the rings, from the root or to the root.
[[nodiscard]] Algorithm build_rings(const CollectiveRequest& r, std::span<const std::vector<std::int32_t>> rings);
[[nodiscard]] Algorithm build_along_rings(const CollectiveRequest& r,
                                          std::span<const std::vector<std::int32_t>> rings);

}  // namespace convert::collectives
