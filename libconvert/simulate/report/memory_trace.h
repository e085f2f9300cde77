// SPDX-License-Identifier: MIT
// Writes the local memory of an NPU over time as Chrome trace JSON, with the events of ASTRA-sim's local_mem_trace.
#pragma once

#include <functional>
#include <string_view>

#include "simulate/engine/replay.h"

namespace convert {

// Passes the trace to `write` in pieces. The replay must have MemoryTracking::trace. For rank r, process r has a
// thread for each tensor, with the nodes that read and write it. Process r + 1,000,000 has the same threads with
// the lifetimes of the tensors. Process r + 2,000,000 has the memory in use, in MiB.
void write_memory_trace(const ReplayProgram& program, const ReplayResult& result, Rank rank,
                        const std::function<void(std::string_view)>& write);

}  // namespace convert
