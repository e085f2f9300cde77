// SPDX-License-Identifier: MIT
// Rules, drawings and export of a set of traces of ranks 0…n-1, for fuzz targets.
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "formats/graphs/drawing.h"
#include "passes/lower/export.h"
#include "passes/trace_summary.h"
#include "passes/validate.h"
#include "passes/verify/verify.h"
#include "set_fuzzing.h"

namespace convert::fuzzing {

inline void check_no_errors(const Diagnostics& diagnostics, const char* what) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity != Severity::error) continue;
    std::fprintf(stderr, "fuzz: %s\n", format_diagnostic(d).c_str());
    check(false, what);
  }
}

// Runs all rules; none may throw.
inline void check_rules(std::span<const Trace> traces, Diagnostics& diagnostics) {
  const RuleSet all = RuleSet::all();
  std::vector<TraceSummary> summaries;
  for (const Trace& trace : traces) {
    check_trace(trace, all, diagnostics);
    summaries.push_back(summarise(trace));
  }
  check_set(summaries, all, diagnostics);
}

inline void draw(std::span<const Trace> traces) {
  const drawing::Drawing drawing = drawing::make_drawing(traces);
  for (const Format* format : all_formats()) {
    if (format->write_drawing == nullptr) continue;
    std::string out;
    format->write_drawing(drawing, {}, *memory_output(out));
  }
}

// The export is a document that can be read again.
inline void check_export(std::span<const Trace> traces) {
  Diagnostics diagnostics;
  std::string text;
  find_format("msccl").write_algorithm(export_algorithm(traces, diagnostics), {}, text);
  try {
    (void)read_msccl_text(text, diagnostics);
  } catch (const Error& e) {
    std::fprintf(stderr, "fuzz: %s: %s\n", format_location(e.where()).c_str(), e.what());
    check(e.rule() != "xml", "what was exported is not well-formed");
  }
}

}  // namespace convert::fuzzing
