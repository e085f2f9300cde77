// SPDX-License-Identifier: MIT
// Finds steps of different chains that share a chunk, one of them writing it, and that nothing orders.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "passes/verify/accesses.h"
#include "passes/verify/execute.h"
#include "passes/verify/reach.h"
#include "passes/verify/step_graph.h"

namespace convert {

// Lists the pairs found, each once, in the order of execution.
struct Races {
  std::vector<Conflict> real;          // nothing orders the two
  std::vector<Conflict> via_messages;  // ordered, but only through other ranks
  // The first pair that the budget did not suffice for; there may be more, of all kinds.
  std::optional<Conflict> undecided{};
};

// Compares each read with the write before it, each write with the write and the reads before it; leaves out reads
// that their own rank orders before another of these reads. `order`: all steps as executed.
//
// Linear in accesses as long as a step waits itself for the steps that it shares chunks with, or gets from them
// what it writes. Any other pair costs up to steps / 256; `budget` limits the cost of all of them.
[[nodiscard]] Races find_races(const StepGraph& graph, const BufferLayout& layout, const ExecuteOptions& options,
                               std::span<const std::uint32_t> order, std::uint64_t budget = order_budget);

}  // namespace convert
