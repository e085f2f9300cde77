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

// Each pair of steps once, in the order of execution.
struct Races {
  std::vector<Conflict> real;          // nothing orders the two
  std::vector<Conflict> via_messages;  // ordered, but only through other ranks
  // The first for which the work that is allowed did not suffice; there may be more, of all kinds.
  std::optional<Conflict> undecided{};
};

// `order`: the steps as executed, all of them. What is compared: each read with the write before it, each write
// with the write and the reads before it; of those reads none that its own rank orders before another of them.
//
// Linear in accesses as long as a step waits itself for the steps that it shares chunks with, or gets from them
// what it writes. Any other pair costs up to steps / 256, and what all of them may cost is limited.
[[nodiscard]] Races find_races(const StepGraph& graph, const BufferLayout& layout, const ExecuteOptions& options,
                               std::span<const std::uint32_t> order, std::uint64_t budget = order_budget);

}  // namespace convert
