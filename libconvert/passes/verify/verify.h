// SPDX-License-Identifier: MIT
// Proves or refutes a collective algorithm: matching, deadlock, FIFO capacity, races, and what it computes.
#pragma once

#include <cstdint>
#include <optional>

#include "core/algorithm/algorithm.h"
#include "core/diagnostic.h"
#include "passes/verify/reach.h"
#include "passes/verify/step_graph.h"

namespace convert {

struct VerifyOptions {
  bool dataflow = false;                 // also prove the collective's postcondition
  std::optional<Collective> collective;  // instead of what the algorithm says
  std::optional<std::int32_t> root{};    // of broadcast and reduce; none: any
  // How bad races, lacking FIFO capacity and wrong results are: et-convert only warns.
  Severity soft = Severity::error;
  std::uint64_t search_budget = order_budget;  // of the search for races; where it ends, a finding says so
};

// Rules of an algorithm's tables that need no execution: peers, offsets, dependencies, shared connections, limits.
void check_structure(const Algorithm& algorithm, Diagnostics& diagnostics);

// Rules pairs, deadlock, fifo, races and (with `dataflow`) postcondition, uninitialized, doubled, operand.
// Linear in steps × cnt but for the search for races (see find_races), whose work is limited.
void verify(const StepGraph& graph, const VerifyOptions& options, Diagnostics& diagnostics);

}  // namespace convert
