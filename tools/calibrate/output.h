// SPDX-License-Identifier: MIT
// Results of et-calibrate: table, residuals, plot, notes.
#pragma once

#include <vector>

#include "calibrate/notes.h"
#include "calibrate/options.h"
#include "calibrate/report.h"
#include "common/tool.h"
#include "io/output.h"

namespace tools {

// Prints notes, and adds warnings to the diagnostics.
void report_notes(const std::vector<convert::CalibrationNote>& notes, Context& context);
// Prints the report in the form of --format; adds --residuals and --plot to `files`.
void write_calibration(const convert::CalibrationReport& report, const CalibrateOptions& o,
                       convert::OutputFiles& files);

}  // namespace tools
