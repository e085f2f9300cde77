// SPDX-License-Identifier: MIT
// Turns traces into an algorithm that the MSCCL runtimes accept: the one they came from, or a new one.
#pragma once

#include <span>

#include "core/algorithm/algorithm.h"
#include "core/diagnostic.h"
#include "core/trace.h"
#include "passes/verify/step_graph.h"

namespace convert {

// Returns the algorithm of the ranks 0…n-1: the one they were made from, if provenance is full and agrees with the
// nodes; else one that pack_threadblocks() makes of chunk provenance, with a warning if nodes were edited. Throws
// Error(input): no chunk provenance [provenance]; an algorithm that cannot be proved.
[[nodiscard]] Algorithm export_algorithm(std::span<const Trace> traces, Diagnostics& diagnostics);

// Makes an algorithm that came from a schedule fit for MSCCL-IR: the sums into one chunk wait for each other in the
// order of their transfers, and <copy> elements become steps. Reports what the runtimes do not accept, and sizes
// that are lost. Its maxBytes is at most the largest call in which no step hangs, with a warning [fifo]. Returns
// other algorithms unchanged.
[[nodiscard]] Algorithm runnable(const Algorithm& algorithm, Diagnostics& diagnostics);

// Puts the steps of a graph onto threadblocks (one send peer, one receive peer, one channel each) in an order in
// which they run with the protocol's FIFO slots. `header`: names, protocol and buffer sizes of the result; its
// steps are replaced. Splits a fused step whose two connections belong to different threadblocks, through scratch
// if it keeps nothing. Throws Error(input) on a deadlock or if more than 32 channels would be needed.
[[nodiscard]] Algorithm pack_threadblocks(const StepGraph& graph, Algorithm header);

}  // namespace convert
