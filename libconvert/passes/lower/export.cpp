// SPDX-License-Identifier: MIT
#include "passes/lower/export.h"

#include <algorithm>

#include "passes/lower/lower.h"
#include "passes/verify/verify.h"

namespace convert {
namespace {

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
  const auto refuse_errors = [&] {
    for (const Diagnostic& d : findings.all()) {
      if (d.severity == Severity::error) {
        throw input_error(d.where, "the steps of these traces cannot be exported: " + d.message, d.rule);
      }
    }
  };
  const Program program = make_program(traces, findings);
  // Threadblocks put an order between steps that had none: what was wrong with the traces may then be gone.
  verify(program, {.dataflow = true, .collective = {}, .soft = Severity::warning}, findings);
  refuse_errors();
  header.file = program.file;
  Algorithm out = schedule(program, std::move(header));
  // The schedule is proved before anyone runs it.
  check_structure(out, findings);
  verify(make_program(out), {.dataflow = true, .collective = {}, .soft = Severity::error}, findings);
  refuse_errors();
  diagnostics.append(findings);
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
    const Lowering lowering(a, std::nullopt, diagnostics);
    const auto same = [&](const Trace& t) { return same_graph(lowering, t); };
    if (std::all_of(traces.begin(), traces.end(), same)) return a;
    diagnostics.warning(
        {.file = traces[0].name}, "provenance",
        "the nodes no longer agree with their threadblock attributes; the steps are scheduled anew");
  }
  return schedule_traces(traces, diagnostics);
}

}  // namespace convert
