// SPDX-License-Identifier: MIT
// Says whether traces do what their collective promises.
#pragma once

#include <string>
#include <vector>

#include "passes/verify/postcondition.h"
#include "passes/verify/verify.h"

namespace convert::test {

// Returns the first error that a proof finds, or that there is none to find; empty: the traces are proved.
inline std::string refutation(const std::vector<Trace>& traces) {
  Diagnostics diagnostics;
  const StepGraph graph = make_step_graph(traces, diagnostics);
  if (!has_postcondition(claimed_collective(graph))) return "nothing says what the traces must end with";
  verify(graph, {.dataflow = true, .collective = {}, .soft = Severity::error}, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::error) return format_diagnostic(d);
  }
  return "";
}

}  // namespace convert::test
