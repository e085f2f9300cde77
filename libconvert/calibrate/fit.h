// SPDX-License-Identifier: MIT
// Fits the constants of a machine's collective library to measured calls: a deterministic pattern search over the
// logarithms of the constants (specification: et-calibrate(1)).
#pragma once

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
  Machine machine;                      // with constants of four significant digits
  std::set<std::string> fitted{};       // names of constants that were fitted, and of harness times: "harness.X0"
  std::vector<std::string> not_told{};  // names of fitted constants that the data do not determine: defaults
  std::vector<std::string> at_bound{};  // names of constants at the low or high bound of the search
};

// A curve is part of a fit if it has at least four sizes, over a factor of 64 or more. Other curves are for tables.
[[nodiscard]] bool is_fitted(const BenchmarkCurve& curve);

// Fits in stages: rings, trees and in-switch reductions of one node; all_to_all of one node;
// both of several nodes. A stage without curves leaves its constants as in `hardware`.
[[nodiscard]] FittedMachine fit_machine(const Machine& hardware, std::span<const BenchmarkCurve> curves,
                                        const FitOptions& options);

}  // namespace convert
