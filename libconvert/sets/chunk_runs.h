// SPDX-License-Identifier: MIT
// Finds which chunks the messages of an algorithm's traces carry, from which their sizes follow.
#pragma once

#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/chunk_bytes.h"
#include "core/trace.h"

namespace convert {

// Returns the function for traces that the algorithm is lowered to; empty if the algorithm does not run to its end.
// Does not refer to the algorithm.
[[nodiscard]] ChunkRunsOf chunk_runs(const Algorithm& algorithm);
// Returns the function for the traces of all ranks; empty if they do not tell from what algorithm they were made.
[[nodiscard]] ChunkRunsOf chunk_runs(const std::vector<Trace>& places);

// Throws Error(input) [provenance] if messages have chunk counters in place of sizes, and these contradict each
// other, their steps or the metadata: sizes computed from them would be wrong.
void refuse_bad_counters(const Trace& trace);

}  // namespace convert
