// SPDX-License-Identifier: MIT
// Finds unordered steps of different chains that share a chunk which at least one of the two writes.
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

// The pairs found, each once, in the order of execution.
struct Races {
  std::vector<Conflict> real;           // unordered
  std::vector<Conflict> via_messages;   // ordered, but only through other ranks
  std::optional<Conflict> undecided{};  // the first pair beyond the budget; there may be more, of all kinds
};

// Compares each read with the previous write, and each write with the previous write and the reads since then,
// except for reads that their rank orders before a later one of these reads. Returns the races. `order`: all
// executed steps in order.
//
// Takes time linear in accesses as long as steps depend directly on the steps that they share chunks with, or
// receive the data that they write from these. Any other pair costs up to steps / 256; `budget` limits the cost of
// all such pairs.
[[nodiscard]] Races find_races(const StepGraph& graph, const BufferLayout& layout, const ExecuteOptions& options,
                               std::span<const std::uint32_t> order, std::uint64_t budget = order_budget);

}  // namespace convert
