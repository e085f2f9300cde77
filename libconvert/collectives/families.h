// SPDX-License-Identifier: MIT
// Declares the builders of collectives.def. Each gets a request for it, with ranks, chunks and root in range.
#pragma once

#include "collectives/collective.h"
#include "collectives/group.h"

namespace convert::collectives {

#define ALGORITHM(id, builder, offered, ranks, summary, source, dims) \
  [[nodiscard]] Algorithm builder(const CollectiveRequest& r);
#include "collectives/collectives.def"
#undef ALGORITHM

// Returns the builder of an in-place algorithm with `parts` × `slices` chunks.
[[nodiscard]] AlgorithmBuilder in_place_builder(const CollectiveRequest& r, std::int64_t parts,
                                                std::int64_t slices);
// Returns "allreduce_ring_n8_k2", at most the 63 characters that runtimes take.
[[nodiscard]] std::string algorithm_name(const CollectiveRequest& r);
// Throws Error(usage) if so many slices, each with channels of its own, need more channels than there are.
void require_channels(const CollectiveRequest& r, std::int32_t channels_per_slice, std::int32_t slices);
// Returns the chunk of a part in a slice. The parts of a slice are neighbours in the buffer; if the collective
// gives or takes a part of the buffer by rank, the slices of a part are.
[[nodiscard]] Chunks chunk_of(const CollectiveRequest& r, std::int32_t part, std::int32_t parts, std::int32_t slice,
                              std::int32_t slices);
// Returns the group of all ranks with one slice of each of `parts` parts.
[[nodiscard]] Group whole_group(const CollectiveRequest& r, std::int32_t parts, std::int32_t slice,
                                std::int32_t slices, std::int32_t channel);

// Returns an in-place algorithm: add(builder, group) is called for each of `slices` slices with its whole_group(),
// which has `channels` channels of its own. Throws as require_channels().
template <class Add>
[[nodiscard]] Algorithm build_slices(const CollectiveRequest& r, std::int32_t parts, std::int32_t slices,
                                     std::int32_t channels, const Add& add) {
  require_channels(r, channels, slices);
  AlgorithmBuilder b = in_place_builder(r, parts, slices);
  for (std::int32_t k = 0; k < slices; ++k) add(b, whole_group(r, parts, k, slices, k * channels));
  return b.finish(algorithm_name(r), r.root.value_or(0));
}

// Adds the request's collective (all_reduce, all_gather or reduce_scatter) by a scheme among a group.
void run_scheme(AlgorithmBuilder& b, const CollectiveRequest& r, const GroupScheme& scheme, const Group& g);
// Returns the algorithm that does so among all ranks, with `parts` parts in each of r.chunks slices.
[[nodiscard]] Algorithm build_flat(const CollectiveRequest& r, const GroupScheme& scheme, std::int32_t parts);

// Builds what build_on_rings() does: all_reduce, all_gather and reduce_scatter around rings, broadcast and reduce
// along them, from the root on and up to it.
[[nodiscard]] Algorithm build_rings(const CollectiveRequest& r, std::span<const std::vector<std::int32_t>> rings);
[[nodiscard]] Algorithm build_along_rings(const CollectiveRequest& r,
                                          std::span<const std::vector<std::int32_t>> rings);

}  // namespace convert::collectives
