// SPDX-License-Identifier: MIT
#include "diff/statistics.h"

#include "diff/inputs.h"
#include "scenario/fidelity/compare_sets.h"
#include "sets/source.h"

namespace tools {

using namespace convert;

Fidelity compare_statistics(const DiffOptions& o, Context& context) {
  TraceSource a(source_of_side(o, 0), context.diagnostics), b(source_of_side(o, 1), context.diagnostics);
  refuse_run_and_set(o, a, b);
  if (a.holds_run()) {
    const Run run_a = a.read_run(), run_b = b.read_run();
    return compare_run_statistics(run_a, run_b);
  }
  if (!a.prepare(false) || !b.prepare(false) || context.failed()) return {};
  const FidelityWishes wishes{.simulate = !o.no_simulation, .networks = o.networks, .jobs = context.jobs()};
  return compare_sets(a, b, wishes, context.diagnostics);
}

}  // namespace tools
