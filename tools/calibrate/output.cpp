// SPDX-License-Identifier: MIT
#include "calibrate/output.h"

#include <string>

#include "calibrate/plot.h"
#include "sets/sink.h"
#include "util/log.h"

namespace tools {

using namespace convert;

namespace {

std::string printed(const CalibrationReport& report, const CalibrateOptions& o) {
  const std::string form = o.format.value_or("text");
  if (form == "json") return calibration_json(report);
  if (form == "csv") return calls_csv(report.calls);
  return calibration_text(report);
}

}  // namespace

void report_notes(const std::vector<CalibrationNote>& notes, Context& context) {
  for (const CalibrationNote& note : notes) {
    if (note.kind == NoteKind::note) {
      log_note(note.text);
    } else {
      context.diagnostics.warning({}, "benchmark", note.text);
    }
  }
}

void write_calibration(const CalibrationReport& report, const CalibrateOptions& o, OutputFiles& files) {
  if (o.residuals) write_bytes(files, o.residuals, calls_csv(report.calls));
  if (o.plot) {
    write_bytes(
        files, o.plot,
        plot_svg("Collectives on " + report.machine, "size", "bus bandwidth", bandwidth_curves(report.calls)));
  }
  write_bytes(std::nullopt, printed(report, o));
}

}  // namespace tools
