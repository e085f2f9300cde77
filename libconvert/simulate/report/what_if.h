// SPDX-License-Identifier: MIT
// Replays a program again with one thing changed at a time, to tell what that thing costs.
#pragma once

#include "core/run.h"
#include "simulate/program/program.h"

namespace convert {

// At most so many changes are tried.
inline constexpr std::size_t most_what_ifs = 12;

// Returns about how many events one replay of the run had.
[[nodiscard]] std::uint64_t count_events(const Run& run);

// Replays the program of `run` once for each change that it makes sense to try, and adds the results to
// Run::whatif, the greatest gain first: NPUs that compute more than 1.05 times as long as the median compute like
// it; the bandwidth of each dimension doubled; no latency; the network, computing, and the collectives of each
// operation and group free. What is simulated stays the same else; the order of events may change. Each total is a
// replay's, to the picosecond.
void add_what_ifs(const ReplayProgram& program, Run& run);

}  // namespace convert
