// SPDX-License-Identifier: MIT
// Small sets of traces as JSON lines: rules, repairs, proof, export and drawings.
#include <cstdint>
#include <optional>

#include "fuzzer.h"
#include "passes/fix.h"
#include "proof_fuzzing.h"

namespace {

// Repairs add no error, and leave nothing to repair.
void check_fix(convert::Trace trace, std::size_t errors) {
  using namespace convert;
  const Fixes first = fix_nodes(trace.nodes);
  const Fixes second = fix_nodes(trace.nodes);
  fuzzing::check(second.total() == 0 && second.unfit == first.unfit, "repairs find more a second time");
  Diagnostics rules;
  check_trace(trace, RuleSet::all(), rules);
  fuzzing::check(rules.errors() <= errors, "a repair made an error");
}

}  // namespace

FUZZER(traces) {
  using namespace convert;
  using namespace convert::fuzzing;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size > max_input_bytes) return 0;
  const std::uint32_t variant = variant_of(bytes);
  std::vector<Trace> traces;
  may_refuse([&] { traces = read_set(bytes); });

  for (const Trace& trace : traces) {
    Diagnostics rules;
    check_trace(trace, RuleSet::all(), rules);
    check_fix(trace, rules.errors());
    (void)summarise(trace);
    (void)provenance_of(trace);
  }
  draw(traces);
  try {
    require_whole_set(traces);
  } catch (const Error&) {
    return 0;
  }
  if (traces.empty()) return 0;
  Diagnostics rules;
  check_rules(traces, rules);
  may_refuse([&] {
    Diagnostics findings;
    const StepGraph program = make_step_graph(traces, findings);
    std::optional<Collective> claimed;
    if ((variant & 7U) == 7U) claimed = static_cast<Collective>(variant >> 3U & 7U);
    verify(program, {.dataflow = true, .collective = claimed, .soft = Severity::error}, findings);
  });
  may_refuse([&] { check_export(traces); });
  return 0;
}
