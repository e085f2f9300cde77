// SPDX-License-Identifier: MIT
// The builders of collectives.def. Each gets a request that names it, with ranks, chunks and root in range.
#pragma once

#include "collectives/collective.h"
#include "collectives/group.h"

namespace convert::collectives {

#define ALGORITHM(id, builder, offered, ranks, summary, source, dims) \
  [[nodiscard]] Algorithm builder(const CollectiveRequest& r);
#include "collectives/collectives.def"
#undef ALGORITHM

// Begins an in-place program of `parts` parts in `slices` slices.
[[nodiscard]] ProgramBuilder in_place_program(const CollectiveRequest& r, std::int64_t parts, std::int64_t slices);
// Returns "allreduce_ring_n8_k2", at most the 63 characters that runtimes take.
[[nodiscard]] std::string program_name(const CollectiveRequest& r);
// Throws Error(usage) if slices on channels of their own need more channels than there are.
void require_channels(const CollectiveRequest& r, std::int32_t channels_per_slice, std::int32_t slices);
// Returns the chunk of a part's slice. The parts of one slice are neighbours in the buffer; but where the
// collective gives each rank a part of the buffer, the slices of one part are neighbours.
[[nodiscard]] Chunks chunk_of(const CollectiveRequest& r, std::int32_t part, std::int32_t parts, std::int32_t slice,
                              std::int32_t slices);
// Returns the group of all ranks with one slice of the data.
[[nodiscard]] Group whole_group(const CollectiveRequest& r, std::int32_t parts, std::int32_t slice,
                                std::int32_t slices, std::int32_t channel);

}  // namespace convert::collectives
