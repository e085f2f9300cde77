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

// Replays the program of `run` once for each change that applies, and adds the results to Run::whatif, the greatest
// gain first. The changes are, in this order: the NPUs of each group of stragglers (core/run/stragglers.h; the
// slowest four groups) compute like the median NPU; the network free; the bandwidth of each dimension doubled;
// no latency; computing free; the collectives of an operation free in one group, or at once in all groups of one
// size with equal calls (the four in which NPUs spend most time, the largest first); each operation by its other
// native algorithms, those that all its groups can run; chunks in a balanced order of dimensions. All else stays
// the same; the order of events may change. Each total comes from a replay, to the picosecond.
void add_what_ifs(const ReplayProgram& program, Run& run);

}  // namespace convert
