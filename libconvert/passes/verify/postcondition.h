// SPDX-License-Identifier: MIT
// Compares the final buffers of an execution with the result of each collective, and recognises all-gathers that
// are right except for the order of chunks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "passes/verify/execute.h"

namespace convert {

// First wrong chunk of a rank.
struct Mismatch {
  std::int32_t rank = 0;
  Buffer buffer = Buffer::output;
  std::int32_t chunk = 0;  // of the buffer
  SlotValue expected = nothing;
  SlotValue found = nothing;
  std::uint64_t slot = 0;
  std::uint32_t more = 0;  // further wrong chunks of that rank
};

// Returns whether the result of a collective is known: false for custom, alltoallv, send and recv.
[[nodiscard]] bool has_postcondition(Collective collective);

// Returns the first wrong output chunk of each rank; empty if the postcondition holds; nullopt for collectives
// without one. Relays may end with any content. A gather ends at its root with the shards of all ranks in their
// order, a scatter with each rank's own shard of the root's data. Without `root`, the root follows from the data.
[[nodiscard]] std::optional<std::vector<Mismatch>> check_postcondition(const StepGraph& graph,
                                                                       Collective collective,
                                                                       std::optional<std::int32_t> root,
                                                                       const BufferLayout& layout,
                                                                       const Execution& execution);

// Order of the chunks in a permuted all-gather.
struct Permutation {
  std::vector<std::int32_t> belongs;  // by offset of the output: the right offset of its chunk
  bool rounds_first = false;          // the offsets are chunk × ranks + rank instead of rank × chunks + chunk
};

// Finds the owner of each chunk of an in-place all-gather by the chunks that each rank never receives. Returns
// nullopt if a chunk does not have exactly one owner, if ranks own different numbers of chunks, or if the order is
// right.
[[nodiscard]] std::optional<Permutation> find_permutation(const StepGraph& graph);

// Returns the graph with its chunks in the right order; nullopt if a step's chunks would no longer be contiguous.
[[nodiscard]] std::optional<StepGraph> with_chunks_in_place(const StepGraph& graph, const Permutation& permutation);

}  // namespace convert
