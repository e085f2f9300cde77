// SPDX-License-Identifier: MIT
// Replays a program again with one change at a time, to find the cost of each part.
#pragma once

#include "core/run.h"
#include "simulate/program/program.h"

namespace convert {

// Maximum number of changes that are tried.
inline constexpr std::size_t most_what_ifs = 12;

// Returns the approximate number of events of one replay of the run.
[[nodiscard]] std::uint64_t count_events(const Run& run);

// Replays the program of `run` once for each change that applies, and adds the results to Run::whatif, the greatest
// gain first. The changes are tried in this order:
// - the NPUs of each group of stragglers (core/run/stragglers.h; the slowest four groups) compute like the median
//   NPU;
// - on a machine: nodes have twice the adapters, the library does not use NVLS; on other networks:
// - the network is free;
// - the bandwidth of each dimension is doubled;
// - no latency;
// - computing is free;
// - the collectives of an operation are free in one group, or at once in all groups of one size with equal calls
//   (the four in which NPUs spend most time, the largest first);
// - each operation uses its other native algorithms, if all its groups can run them;
// - chunks use the dimensions in a balanced order.
//
// All else stays the same; the order of events may change. Each total comes from a replay, to the picosecond.
void add_what_ifs(const ReplayProgram& program, Run& run);

}  // namespace convert
