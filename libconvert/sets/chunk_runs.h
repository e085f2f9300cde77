// SPDX-License-Identifier: MIT
// Chunks that the messages of an algorithm's traces carry, which determine message sizes.
#pragma once

#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/chunk_bytes.h"
#include "core/trace.h"

namespace convert {

// Returns the function for traces that the algorithm is lowered to; empty if the algorithm does not run to its end.
// The function does not refer to the algorithm.
[[nodiscard]] ChunkRunsOf chunk_runs(const Algorithm& algorithm);
// Returns the function for the traces of all ranks; empty if they do not identify the algorithm they come from.
[[nodiscard]] ChunkRunsOf chunk_runs(const std::vector<Trace>& places);

// Throws Error(input) [provenance] if messages have chunk counters instead of sizes, and the counters contradict
// each other, their steps or the metadata: sizes computed from them would be wrong.
void refuse_bad_counters(const Trace& trace);

}  // namespace convert
