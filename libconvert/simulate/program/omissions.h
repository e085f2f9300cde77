// SPDX-License-Identifier: MIT
// Counts what a replay omits from the nodes of traces: times that traces do not contain, and data that the replay
// does not use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/units.h"

namespace convert {

// Counts of nodes; times in ns, at most 2^64 - 1.
struct Omissions {
  std::uint64_t untimed_communication = 0;  // without a recorded duration, in a replay of recorded communication
  // COMP nodes of an NPU with operations, without a duration and without a roofline model.
  std::uint64_t untimed_computation = 0;
  std::uint64_t timeless = 0;  // COMP nodes with neither a duration nor operations, except reductions of algorithms
  std::uint64_t timed = 0;     // all other COMP nodes
  std::uint64_t communications = 0;
  std::uint64_t unknown = 0;  // COMP nodes that communicate; see unknown_communication
  std::uint64_t unknown_ns = 0;
  // Communication nodes of recordings without a kernel, in a replay of recorded communication.
  std::uint64_t kernelless = 0;
  std::uint64_t kernelless_ns = 0;
  std::uint64_t missing = 0;  // calls of collectives whose communication is not recorded
  std::uint64_t delayed = 0;  // nodes with a start delay, in a simulation
  std::uint64_t delay_ns = 0;

  Omissions& operator+=(const Omissions& other);
  [[nodiscard]] Omissions since(const Omissions& before) const;
};

// Returns a statement for each kind of node without a time, for all ranks together.
[[nodiscard]] std::vector<std::string> without_time(const Omissions& omitted);
// Reports each of these statements as a warning [times].
void warn_of_times(const Omissions& omitted, Diagnostics& diagnostics);

// Returns a note for each omission that matters for the result of a replay of `ranks` ranks. `compute_ps` is the
// sum of the durations of COMP nodes. A start delay matters if its mean per rank is at least 1 % of `total_ps`.
[[nodiscard]] std::vector<std::string> notes_of(const Omissions& omitted, std::size_t ranks, Picoseconds total_ps,
                                                double compute_ps);

}  // namespace convert
