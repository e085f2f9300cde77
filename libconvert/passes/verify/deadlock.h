// SPDX-License-Identifier: MIT
// Explains why steps of an algorithm never finish, by the cycle or chain of waits.
#pragma once

#include "core/diagnostic.h"
#include "passes/verify/execute.h"
#include "passes/verify/step_graph.h"

namespace convert {

// Returns an error at the first step of the cycle that blocks an execution, or of the chain of waits if there is no
// cycle. Its notes describe the wait of each step. `execution` must have blocked chains.
[[nodiscard]] Diagnostic explain_deadlock(const StepGraph& graph, const Execution& execution);

}  // namespace convert
