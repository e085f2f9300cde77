// SPDX-License-Identifier: MIT
// Fits the constants of a machine's collective library to measured calls: a deterministic pattern search over the
// logarithms of the constants (specification: et-calibrate(1)).
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "calibrate/curves.h"
#include "machine/machine.h"

namespace convert {

struct FitOptions {
  std::set<std::string> harness{};  // sets whose tool adds a time to each call, which is fitted
  unsigned jobs = 0;                // threads; the result does not depend on it
};

struct FittedMachine {
  Machine machine;                 // with constants of four significant digits
  std::set<std::string> fitted{};  // names of constants that were fitted, and of harness times: "harness.X0"
  std::vector<std::string> undetermined{};  // names of fitted constants that the data do not determine: defaults
  std::vector<std::string> at_bound{};      // names of constants at the low or high bound of the search
};

// A curve is part of a fit if it has at least four sizes, over a factor of 64 or more. Other curves are for tables.
[[nodiscard]] bool is_fitted(const BenchmarkCurve& curve);

// Fits in stages: rings, trees and in-switch reductions of one node; all_to_all of one node;
// both of several nodes. A stage without curves leaves its constants as in `hardware`.
[[nodiscard]] FittedMachine fit_machine(const Machine& hardware, std::span<const BenchmarkCurve> curves,
                                        const FitOptions& options);

// Returns the time in ns of a call of a custom algorithm on a machine, by replaying the algorithm.
using AlgorithmTime = std::function<double(const Machine& machine, const BenchmarkCurve& curve, double bytes)>;
// Fits launch, step and share of library.program to the times of a custom algorithm. The other constants are kept.
[[nodiscard]] FittedMachine fit_program(const Machine& machine, std::span<const BenchmarkCurve> curves,
                                        const AlgorithmTime& time, unsigned jobs);

}  // namespace convert
