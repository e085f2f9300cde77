// SPDX-License-Identifier: MIT
// Recognises all-gathers that are right but for the places of the chunks, and puts the chunks in place.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "passes/verify/step_graph.h"

namespace convert {

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
