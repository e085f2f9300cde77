// SPDX-License-Identifier: MIT
#include "passes/lower/export.h"

#include <algorithm>

#include "passes/lower/lower.h"
#include "passes/provenance.h"
#include "passes/verify/verify.h"

namespace convert {
namespace {

void refuse_errors(const Diagnostics& findings, const std::string& file) {
  if (findings.errors() == 0) return;
  const std::string message = "the steps of these traces cannot be exported: ";
  for (const Diagnostic& d : findings.all()) {
    if (d.severity == Severity::error) throw input_error(d.where, message + d.message, d.rule);
  }
  throw input_error({.file = file}, message + "et-validate --dataflow has errors for them");
}

// Attributes of threadblocks may say what no runtime can run, or no longer what the nodes do.
bool still_true(const Algorithm& a, std::span<const Trace> traces, Diagnostics& diagnostics) {
  Diagnostics structure;
  check_structure(a, structure);
  if (structure.errors() > 0) return false;
  const Lowering lowering(a, std::nullopt, diagnostics);
  return std::all_of(traces.begin(), traces.end(), [&](const Trace& t) { return same_graph(lowering, t); });
}

Algorithm schedule_traces(std::span<const Trace> traces, Diagnostics& diagnostics) {
  Algorithm header;
  std::vector<Gpu> gpus;
  for (const Trace& t : traces) {
    Algorithm own;
    Gpu gpu;
    if (!read_header(t, own, gpu)) break;  // make_program reports it
    if (t.rank == 0) header = std::move(own);
    gpus.push_back(std::move(gpu));
  }
  header.gpus = std::move(gpus);
  Diagnostics findings;
  const Program program = make_program(traces, findings);
  // Threadblocks put an order between steps that had none: what was wrong with the traces may then be gone.
  verify(program, {.dataflow = true, .collective = {}, .soft = Severity::warning}, findings);
  refuse_errors(findings, program.file);
  header.file = program.file;
  Algorithm out = schedule(program, std::move(header));
  // The schedule is proved before anyone runs it.
  Diagnostics proof;
  check_structure(out, proof);
  verify(make_program(out), {.dataflow = true, .collective = {}, .soft = Severity::error}, proof);
  refuse_errors(proof, program.file);
  diagnostics.append(findings);
  diagnostics.append(proof);
  return out;
}

}  // namespace

Algorithm export_algorithm(std::span<const Trace> traces, Diagnostics& diagnostics) {
  require_all_ranks(traces);
  Provenance provenance = Provenance::full;
  for (const Trace& t : traces) {
    const Provenance own = provenance_of(t);
    if (own == Provenance::none) {
      throw input_error({.file = t.name, .rank = static_cast<std::int64_t>(t.rank)},
                        "the trace carries no chunk provenance (which chunks its messages move), so no MSCCL-IR "
                        "can be written from it",
                        "provenance");
    }
    if (own == Provenance::chunks) provenance = own;
  }
  if (provenance == Provenance::full) {
    Algorithm a = raise_algorithm(traces);
    if (still_true(a, traces, diagnostics)) return a;
    diagnostics.warning(
        {.file = traces[0].name}, "provenance",
        "the nodes no longer agree with their threadblock attributes; the steps are scheduled anew");
  }
  return schedule_traces(traces, diagnostics);
}

}  // namespace convert
