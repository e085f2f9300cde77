// SPDX-License-Identifier: MIT
// Which chunks the messages of an algorithm's traces carry, for those who give them sizes.
#pragma once

#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/chunk_bytes.h"
#include "core/trace.h"

namespace convert {

// Serves traces that the algorithm is lowered to. Nothing if it does not run to its end. The algorithm need not
// outlive it.
[[nodiscard]] ChunkRunsOf chunk_runs(const Algorithm& algorithm);
// Serves the traces of all places; nothing if they do not tell what program they were made from.
[[nodiscard]] ChunkRunsOf chunk_runs(const std::vector<Trace>& places);

// Throws Error(input) [provenance] if messages have no size but chunk counters, and these contradict each other,
// their steps or the metadata: sizes would be multiples of what they should be.
void refuse_bad_counters(const Trace& trace);

}  // namespace convert
