// SPDX-License-Identifier: MIT
// Proves or refutes a collective algorithm: matching, deadlock, FIFO capacity, races, and what it computes.
#pragma once

#include <cstdint>
#include <optional>

#include "core/algorithm/algorithm.h"
#include "core/algorithm/runtime_limits.h"
#include "core/diagnostic.h"
#include "passes/verify/reach.h"
#include "passes/verify/step_graph.h"

namespace convert {

struct VerifyOptions {
  bool dataflow = false;                   // also prove the collective's postcondition
  std::optional<Collective> collective{};  // instead of what the algorithm says
  std::optional<std::int32_t> root{};      // where has_root(); none: any
  // The severity of races, lacking FIFO capacity and wrong results: et-convert only warns.
  Severity soft = Severity::error;
  std::uint64_t search_budget = order_budget;  // for the search for races; a finding says if it ends
  const RuntimeLimits* target = nullptr;       // runtime with the messages of rule fifo; null: MSCCL, the largest
};

// Checks what needs no execution: peers, offsets, dependencies, shared connections, limits. What exceeds those of
// the runtime `target` is an error; without one, what exceeds those of any runtime is a warning.
void check_structure(const Algorithm& algorithm, Diagnostics& diagnostics, const RuntimeLimits* target = nullptr);

// Checks rules pairs, deadlock, fifo, races and (with `dataflow`) postcondition, uninitialized, doubled, operand.
// Linear in steps × cnt but for the search for races (see find_races), whose work is limited.
void verify(const StepGraph& graph, const VerifyOptions& options, Diagnostics& diagnostics);

// Returns the bytes of the largest call in which the steps, cut into messages of `message` bytes at most, never
// wait for room in a connection forever; nothing if no call hangs, or no step has several chunks. 0: each call
// hangs.
[[nodiscard]] std::optional<std::int64_t> most_bytes_without_hang(const StepGraph& graph, std::int64_t message);

}  // namespace convert
