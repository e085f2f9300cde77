// SPDX-License-Identifier: MIT
// Compares what each collective must deliver with what an execution left in the buffers, and recognises all-gathers
// that are right but for the places of the chunks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "passes/verify/execute.h"

namespace convert {

struct Mismatch {
  std::int32_t rank = 0;
  Buffer buffer = Buffer::output;
  std::int32_t chunk = 0;  // of the buffer
  SlotValue expected = nothing;
  SlotValue found = nothing;
  std::uint64_t slot = 0;
  std::uint32_t more = 0;  // further wrong chunks of that rank
};

// Returns whether it is known what a collective must end with: not of custom, alltoallv, send and recv.
[[nodiscard]] bool has_postcondition(Collective collective);

// Returns the first wrong output chunk of each rank; empty if the postcondition holds, nothing for collectives
// without one. Relays may end with anything. A gather ends at its root with the parts of all ranks in their
// order, a scatter with each rank's own part of what its root has. Without `root` it follows from the data.
[[nodiscard]] std::optional<std::vector<Mismatch>> check_postcondition(const StepGraph& graph,
                                                                       Collective collective,
                                                                       std::optional<std::int32_t> root,
                                                                       const BufferLayout& layout,
                                                                       const Execution& execution);

struct Permutation {
  std::vector<std::int32_t> belongs;  // by offset of the output: where its chunk should stand
  bool rounds_first = false;          // the offsets are chunk × ranks + rank, not rank × chunks + chunk
};

// Finds by what each rank never receives who owns which chunk of an in-place all-gather. Returns nothing if a chunk
// has not one owner, if ranks own different numbers of chunks, or if all stand where they should.
[[nodiscard]] std::optional<Permutation> find_permutation(const StepGraph& graph);

// Returns the graph with its chunks in place; nothing if a step's chunks would no longer be contiguous.
[[nodiscard]] std::optional<StepGraph> with_chunks_in_place(const StepGraph& graph, const Permutation& permutation);

}  // namespace convert
