// SPDX-License-Identifier: MIT
// Writes the local memory of an NPU over time as Chrome trace JSON, with the events of ASTRA-sim's local_mem_trace.
#pragma once

#include <functional>
#include <string_view>

#include "simulate/engine/replay.h"

namespace convert {

// Gives the trace to `write` in pieces; the replay has to have MemoryTracking::trace. For rank r, process r has a
// thread for each tensor, with the nodes that read and write it; r + 1,000,000 has the same threads with the lives
// of the tensors; r + 2,000,000 has the memory in use, in MiB.
void write_memory_trace(const ReplayProgram& program, const ReplayResult& result, Rank rank,
                        const std::function<void(std::string_view)>& write);

}  // namespace convert
