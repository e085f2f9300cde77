// SPDX-License-Identifier: MIT
// Exports traces as an algorithm that the MSCCL runtimes accept: the original algorithm or a new one.
#pragma once

#include <span>

#include "core/algorithm/algorithm.h"
#include "core/diagnostic.h"
#include "core/trace.h"
#include "passes/verify/step_graph.h"

namespace convert {

// Returns the algorithm of ranks 0…n-1: the original one if provenance is complete and agrees with the nodes, else
// one that pack_threadblocks() builds from chunk provenance. Warns if nodes were edited. Throws Error(input) if
// chunk provenance is missing [provenance] or the algorithm cannot be proved.
[[nodiscard]] Algorithm export_algorithm(std::span<const Trace> traces, Diagnostics& diagnostics);

// Makes an algorithm from a schedule fit for MSCCL-IR: orders the sums into each chunk by their transfers, and
// turns <copy> elements into steps. Reports features that the runtimes do not accept, and dropped sizes. Sets
// maxBytes to at most the largest call in which no step hangs, with a warning [fifo]. Returns other algorithms
// unchanged.
[[nodiscard]] Algorithm runnable(const Algorithm& algorithm, Diagnostics& diagnostics);

// Assigns the steps of a graph to threadblocks (one send peer, one receive peer, one channel each) in an order that
// fits the protocol's FIFO slots. `header`: names, protocol and buffer sizes of the result; its steps are replaced.
// Splits a fused step whose two connections belong to different threadblocks, through scratch if it stores no
// result. Throws Error(input) on a deadlock or if more than 32 channels would be needed.
[[nodiscard]] Algorithm pack_threadblocks(const StepGraph& graph, Algorithm header);

}  // namespace convert
