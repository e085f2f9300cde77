// SPDX-License-Identifier: MIT
// Traces → Algorithm that the MSCCL runtimes accept: the program they came from, or a new schedule of their steps.
#pragma once

#include <span>

#include "core/algorithm/algorithm.h"
#include "core/diagnostic.h"
#include "core/trace.h"
#include "passes/verify/step_graph.h"

namespace convert {

// `traces`: ranks 0…n-1. With full provenance that the nodes still agree with: the same program. With chunk
// provenance only (or after edits, with a warning): schedule(). Throws Error(input) without chunk provenance.
[[nodiscard]] Algorithm export_algorithm(std::span<const Trace> traces, Diagnostics& diagnostics);

// What was made of a schedule as MSCCL-IR can say it: sums into one chunk get an order, that of the transfers, and
// what a rank keeps is copied by steps. Reports what the runtimes do not accept, and sizes that are lost. Other
// algorithms stay as they are.
[[nodiscard]] Algorithm runnable(const Algorithm& algorithm, Diagnostics& diagnostics);

// Puts the steps of a program onto threadblocks (one send peer, one receive peer, one channel each) in an order in
// which they run with the protocol's FIFO slots. `header`: names, protocol and buffer sizes of the result, its
// steps are replaced. A fused step whose two connections belong to different threadblocks is split, through scratch
// if it keeps nothing. Throws Error(input) on a deadlock or if more than 32 channels would be needed.
[[nodiscard]] Algorithm schedule(const StepGraph& program, Algorithm header);

}  // namespace convert
