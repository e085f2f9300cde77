// SPDX-License-Identifier: MIT
// Checks whether traces do what their collective promises.
#pragma once

#include <string>
#include <vector>

#include "passes/verify/postcondition.h"
#include "passes/verify/verify.h"

namespace convert::test {

// Returns the first error of the proof, or an error if there is nothing to prove; empty if the traces are proved.
inline std::string refutation(const std::vector<Trace>& traces) {
  Diagnostics diagnostics;
  const StepGraph graph = make_step_graph(traces, diagnostics);
  if (!has_postcondition(claimed_collective(graph))) return "the traces declare no collective to check";
  verify(graph, {.dataflow = true, .collective = {}, .soft = Severity::error}, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Severity::error) return format_diagnostic(d);
  }
  return "";
}

}  // namespace convert::test
