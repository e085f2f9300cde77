// SPDX-License-Identifier: MIT
// All-gathers whose graph is right but for the places of the chunks.
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

// Of an in-place all-gather: a chunk's owner is the one rank that never receives it. Nothing if that is not so, if
// each rank does not own equally many, or if they stand where they should.
[[nodiscard]] std::optional<Permutation> find_permutation(const StepGraph& graph);

// The same graph with its chunks where they should stand; nothing if a step's chunks would no longer stand in a
// row.
[[nodiscard]] std::optional<StepGraph> with_chunks_in_place(const StepGraph& graph, const Permutation& permutation);

}  // namespace convert
