// SPDX-License-Identifier: MIT
// Explains why steps of an algorithm never finish: who waits for whom.
#pragma once

#include "core/diagnostic.h"
#include "passes/verify/execute.h"
#include "passes/verify/step_graph.h"

namespace convert {

// Returns an error at the first step of the cycle, or else of the chain of waits, that blocks an execution; its
// notes say what each of them waits for. `execution` has blocked chains.
[[nodiscard]] Diagnostic explain_deadlock(const StepGraph& graph, const Execution& execution);

}  // namespace convert
