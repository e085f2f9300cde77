// SPDX-License-Identifier: MIT
// Calibrates a machine: fits the constants of its library, makes its table, and measures the errors.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "calibrate/curves.h"
#include "calibrate/errors.h"
#include "calibrate/fit.h"
#include "calibrate/notes.h"
#include "machine/chosen.h"
#include "machine/machine.h"

namespace convert {

struct CalibrationOptions {
  FitOptions fit{};
  bool keeps_constants = false;  // makes the table only
  bool has_table = true;
  bool accepts_conflicts = false;
};

struct Calibration {
  Machine machine{};
  std::set<std::string> undetermined{};  // names of constants at their default
  std::vector<CalibrationNote> notes{};
  BandErrors formulas{}, between_sizes{}, between_groups{}, alpha_beta{};
};

// Calibrates a machine by measured curves. Keeps the constants of `base` without data, and its measured calls of
// collectives without data. Throws Error(input) for curves that contradict each other, unless they are accepted.
[[nodiscard]] Calibration calibrate(const Machine& base, std::span<const BenchmarkCurve> curves,
                                    const CalibrationOptions& options);

// Calibrates only library.program, by the times of a custom algorithm.
[[nodiscard]] Calibration calibrate_program(const Machine& base, std::span<const BenchmarkCurve> curves,
                                            const AlgorithmTime& time, unsigned jobs);

// A measured call, and what a machine predicts for it, with the time of the harness.
struct ComparedCall {
  const BenchmarkCurve* curve = nullptr;
  double bytes = 0;
  double measured_ns = 0;
  double predicted_ns = 0;
  std::string algorithm{};
  CallSource source = CallSource::model;

  [[nodiscard]] double error_pct() const { return 100 * (predicted_ns / measured_ns - 1); }
};
[[nodiscard]] std::vector<ComparedCall> compare_calls(const ChosenMachine& machine,
                                                      std::span<const BenchmarkCurve> curves);

// Returns the same for a custom algorithm, which messages name `algorithm`.
[[nodiscard]] std::vector<ComparedCall> compare_algorithm(const Machine& machine,
                                                          std::span<const BenchmarkCurve> curves,
                                                          const std::string& algorithm, const AlgorithmTime& time);

}  // namespace convert
