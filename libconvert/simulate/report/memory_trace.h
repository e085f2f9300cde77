// SPDX-License-Identifier: MIT
// The local memory of one NPU over time as Chrome trace JSON, with the events of ASTRA-sim's local_mem_trace files.
#pragma once

#include <functional>
#include <string_view>

#include "simulate/engine/replay.h"

namespace convert {

// For a replay with MemoryTracking::trace. Processes by rank r: r has a thread for each tensor, with the nodes that
// read and write it; r + 1,000,000 the same threads with the tensors' lives; r + 2,000,000 the memory in use, in
// MiB. Hands the text to `write` in pieces.
void write_memory_trace(const ReplayProgram& program, const ReplayResult& result, Rank rank,
                        const std::function<void(std::string_view)>& write);

}  // namespace convert
