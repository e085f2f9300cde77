// SPDX-License-Identifier: MIT
// Schedules: read, checked, repaired and written. A valid one is proved as an algorithm, as traces, and as
// MSCCL-IR.
#include <cstdint>
#include <string>

#include "fuzzer.h"
#include "passes/ten/check.h"
#include "passes/ten/retime.h"
#include "proof_fuzzing.h"
#include "sets/schedules.h"

namespace {

using namespace convert;
using namespace convert::fuzzing;

Schedule read_ten(const std::string& text, Diagnostics& diagnostics) {
  return find_format("ten").read_schedule(text, "fuzz.ten", {}, diagnostics);
}

std::string written(const Schedule& s, const char* form, const char* ways = "links") {
  std::string out;
  const std::vector<std::pair<std::string, std::string>> options{{"form", form}, {"ways", ways}};
  find_format("ten").write_schedule(s, FormatOptions(options), out);
  return out;
}

void check_writing(const Schedule& s) {
  Diagnostics diagnostics;
  const std::string json = written(s, "json");
  check(written(read_ten(json, diagnostics), "json") == json, "JSON reads back differently");
  const std::string csv = written(s, "csv");
  check(written(read_ten(csv, diagnostics), "csv") == csv, "CSV reads back differently");
  const std::string rows = written(s, "csv", "via");
  check(written(read_ten(rows, diagnostics), "csv", "via") == rows, "CSV with ways reads back differently");
  const std::string ways = written(s, "json", "via");
  check(written(read_ten(ways, diagnostics), "json", "via") == ways, "JSON with ways reads back differently");
}

// A schedule without an error is an algorithm that can be proved.
void check_algorithm(const Algorithm& algorithm) {
  Diagnostics structure;
  check_structure(algorithm, structure);
  check_no_errors(structure, "a sound schedule has a malformed algorithm");
  const std::vector<Trace> traces = lowered(algorithm, std::nullopt);
  Diagnostics findings;
  check_rules(traces, findings);
  const StepGraph program = make_step_graph(traces, findings);
  verify(program, {.dataflow = false, .collective = {}, .soft = Severity::error}, findings);
  check_no_errors(findings, "a sound schedule has traces that break a rule");
  Diagnostics exported;
  const Algorithm runs = runnable(algorithm, exported);
  verify(make_step_graph(runs), {.dataflow = false, .collective = {}, .soft = Severity::error}, exported);
  for (const Diagnostic& d : exported.all()) {
    check(d.severity != Severity::error || d.rule == "limits", "a sound schedule has no sound MSCCL-IR");
  }
  check_export(traces);
}

}  // namespace

FUZZER(ten) {
  if (size > max_input_bytes) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  may_refuse([&] {
    constexpr std::uint32_t many_nodes = 256;
    Diagnostics diagnostics;
    const Schedule s = read_ten(bytes, diagnostics);
    if (s.wires_told) check_writing(s);
    Schedule timed;
    const Flow flow = check_schedule(s, timed, diagnostics);
    if (!flow.redundant.empty()) {
      (void)replayed_time(timed, flow);
      (void)repair(s, flow, diagnostics);
    }
    if (s.nodes > many_nodes) return;
    for (const bool repair : {false, true}) {
      Diagnostics findings;
      ScheduleOptions options;
      options.repair = repair;
      const CheckedSchedule checked = check_and_repair(s, options, findings);
      if (findings.errors() == 0) check_algorithm(checked.algorithm);
    }
    if (s.wires_told) (void)network_of(s);
  });
  return 0;
}
