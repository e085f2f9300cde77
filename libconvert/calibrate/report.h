// SPDX-License-Identifier: MIT
// Formats comparisons of measured and predicted calls: by curve as text, by call as CSV, all as JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/plot.h"

namespace convert {

// Errors of a method, such as the formulas alone.
using MethodErrors = std::pair<std::string, BandErrors>;

struct CalibrationReport {
  std::string machine;                // name
  std::vector<ComparedCall> calls;    // curve by curve
  std::vector<MethodErrors> methods;  // further lines of errors
  std::vector<CalibrationNote> notes;
};
[[nodiscard]] std::string calibration_text(const CalibrationReport& report);
[[nodiscard]] std::string calibration_json(const CalibrationReport& report);
// Returns a row for each call: set,collective,ranks,nodes,bytes,us,predicted_us,error_pct,algorithm,source.
[[nodiscard]] std::string calls_csv(std::span<const ComparedCall> calls);
// Returns the bus bandwidths over the size: marks are measured, lines predicted.
[[nodiscard]] std::vector<PlotCurve> bandwidth_curves(std::span<const ComparedCall> calls);

}  // namespace convert
