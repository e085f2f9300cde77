// SPDX-License-Identifier: MIT
// Finds the iterations of a program, such as training steps, in what a rank does.
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

struct Iterations {
  static constexpr std::uint32_t prologue = 0xffffffff;  // what comes before the first
  static constexpr std::uint32_t epilogue = 0xfffffffe;  // what comes behind the last

  std::vector<std::uint32_t> of;  // by node: its iteration, as an index of `numbers`
  std::vector<std::uint32_t>
      order;  // nodes, parents before children, of those that are ready the first in the file
  std::vector<std::int64_t> numbers;  // as the program counts its iterations; from 0 on where it does not
};

// Returns the mark of a node: the attribute `iteration`, else what iteration_in_name() finds.
[[nodiscard]] std::optional<IterationMark> iteration_mark(const NodeTable& table, const Node& node);

// Returns the iterations that marks tell: a node without a mark is of the iteration of the node before it in order,
// and so is every node where ProfilerStep#k is the mark. Without iterations if there are no marks. Throws
// Error(input) [iterations] if the dependencies have a cycle.
[[nodiscard]] Iterations marked_iterations(const Trace& trace);

// A period of the calls of a rank: its collectives, sends and receives.
struct CallPeriod {
  std::size_t calls = 0;       // of an iteration
  double share = 0;            // of the calls that equal the one a period later
  std::size_t first = 0;       // where the first iteration begins, and how many whole ones there are: 0, if the
  std::size_t iterations = 0;  // period does not hold
};
inline constexpr double least_period_share = 0.9;

// Returns the period that explains most of a sequence, of equally good ones the shortest: a run of at least two
// periods, and of 90 % of the sequence, in which 90 % of the calls equal the one a period later. Where none holds,
// the one with the largest share. `wanted`: only periods with so many iterations; 0: any.
[[nodiscard]] CallPeriod find_period(std::span<const std::uint32_t> sequence, std::size_t wanted = 0);

// Returns the iterations that the calls of a rank tell by their period. An iteration begins as many nodes before
// its first call as are alike in all of them; a call is described by type, collective, bytes, group and peer.
// Without iterations if no period holds. Throws Error(input) as above.
[[nodiscard]] Iterations periodic_iterations(const Trace& trace, CallPeriod& found, std::size_t wanted = 0);

// Returns them by a period that was found for the same trace before.
[[nodiscard]] Iterations iterations_of_period(const Trace& trace, const CallPeriod& period);

// Returns a number for each node that tells whether nodes of a rank do the same: of calls what was said above, of
// others type and name but for its digits.
[[nodiscard]] std::vector<std::uint32_t> alike_classes(const Trace& trace);

}  // namespace convert
