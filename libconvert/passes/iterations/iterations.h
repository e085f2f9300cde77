// SPDX-License-Identifier: MIT
// Finds the iterations of a program, such as training steps, in a rank's trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.h"
#include "graph/iteration_name.h"

namespace convert {

// Iteration of each node of a rank.
struct Iterations {
  static constexpr std::uint32_t prologue = 0xffffffff;  // before the first iteration
  static constexpr std::uint32_t epilogue = 0xfffffffe;  // after the last iteration

  std::vector<std::uint32_t> of;  // by node: its iteration, as an index of `numbers`
  std::vector<std::uint32_t>
      // nodes, parents before children; among ready nodes the first in the file comes first
      order;
  std::vector<std::int64_t> numbers;  // the program's iteration numbers; counted from 0 if it does not count
};

// Returns the mark of a node: the attribute `iteration`, else the result of iteration_in_name().
[[nodiscard]] std::optional<IterationMark> iteration_mark(const NodeTable& table, const Node& node);

// Returns the iterations given by marks, or no iterations if there are no marks. A node without a mark belongs to
// the iteration of the node before it in order; with marks ProfilerStep#k, every other node does. Throws
// Error(input) [iterations] if the dependencies have a cycle.
[[nodiscard]] Iterations marked_iterations(const Trace& trace);

// Period of the calls of a rank: collectives, sends and receives.
struct CallPeriod {
  std::size_t calls = 0;       // in an iteration
  double share = 0;            // of calls that equal the call one period later
  std::size_t first = 0;       // call at which the first iteration begins
  std::size_t iterations = 0;  // number of whole iterations; 0 if the period does not hold
};
inline constexpr double least_period_share = 0.9;

// Returns the period that explains the largest part of a sequence, the shortest one if several are equally good. A
// period holds over a run of at least two periods and 90 % of the sequence, in which 90 % of the calls equal the
// call one period later. If none holds, returns the one with the largest share. `wanted`: required number of
// iterations;
[[nodiscard]] CallPeriod find_period(std::span<const std::uint32_t> sequence, std::size_t wanted = 0);

// Returns the iterations given by the period of the rank's calls, or no iterations if no period holds. An iteration
// begins before its first call, at the earliest node up to which all iterations are alike. Calls are compared by
// type, collective, bytes, group and peer. Throws Error(input) [iterations] if the dependencies have a cycle.
[[nodiscard]] Iterations periodic_iterations(const Trace& trace, CallPeriod& found, std::size_t wanted = 0);

// Returns the iterations for a period that was found earlier for the same trace.
[[nodiscard]] Iterations iterations_of_period(const Trace& trace, const CallPeriod& period);

// Returns a class number for each node: nodes of a rank with equal numbers do the same. Calls are compared as in
// periodic_iterations(), other nodes by type and by name without digits.
[[nodiscard]] std::vector<std::uint32_t> alike_classes(const Trace& trace);

}  // namespace convert
