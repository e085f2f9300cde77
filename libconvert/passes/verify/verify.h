// SPDX-License-Identifier: MIT
// Proves or refutes a collective algorithm: matching, deadlock, FIFO capacity, races, and the result.
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
  std::optional<Collective> collective{};  // instead of the algorithm's own claim
  std::optional<std::int32_t> root{};      // if has_root(); nullopt: any
  // Severity of races, insufficient FIFO capacity and wrong results; et-convert only warns.
  Severity soft = Severity::error;
  std::uint64_t search_budget = order_budget;  // for the search for races; a finding reports its exhaustion
  // runtime with the messages of rule fifo; null: MSCCL, which has the largest
  const RuntimeLimits* target = nullptr;
};

// Checks properties that require no execution: peers, offsets, dependencies, shared connections, limits. Exceeding
// a limit of the runtime `target` is an error. If `target` is null, exceeding a limit of any runtime is a warning.
void check_structure(const Algorithm& algorithm, Diagnostics& diagnostics, const RuntimeLimits* target = nullptr);

// Checks rules pairs, deadlock, fifo, races and (with `dataflow`) postcondition, uninitialized, doubled, operand.
// Takes time linear in steps × cnt, except for the search for races (see find_races), which is limited.
void verify(const StepGraph& graph, const VerifyOptions& options, Diagnostics& diagnostics);

// Returns the bytes of the largest call in which the steps, split into messages of at most `message` bytes, never
// wait forever for room in a connection. Returns nullopt if no call hangs, or if no step has several chunks; 0 if
// each call hangs.
[[nodiscard]] std::optional<std::int64_t> most_bytes_without_hang(const StepGraph& graph, std::int64_t message);

}  // namespace convert
