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
  std::vector<Conflict> real;           // nothing orders the two
  std::vector<Conflict> via_messages;   // ordered, but only through other ranks
  std::optional<Conflict> undecided{};  // the first pair beyond the budget; there may be more, of all kinds
};

// Compares each read with the write before it, and each write with the write and the reads before it, but for reads
// that their rank orders before a later one of these reads. Returns the races. `order`: all steps as executed.
//
// Takes time linear in accesses as long as steps themselves wait for the steps that they share chunks with, or get
// from these what they write. Any other pair costs up to steps / 256; `budget` limits the cost of all such pairs.
[[nodiscard]] Races find_races(const StepGraph& graph, const BufferLayout& layout, const ExecuteOptions& options,
                               std::span<const std::uint32_t> order, std::uint64_t budget = order_budget);

}  // namespace convert
