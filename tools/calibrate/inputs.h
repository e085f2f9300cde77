// SPDX-License-Identifier: MIT
// Measured curves of the inputs of et-calibrate: logs, tables and recordings.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "calibrate/curves.h"
#include "common/tool.h"
#include "machine/machine.h"

namespace tools {

struct MeasuredInputs {
  convert::BenchmarkCurves curves;
  std::set<std::string> fitted_harness;      // sets
  std::map<std::string, double> harness_ns;  // by harness_key()
  std::vector<std::string> files;
};

// Reads the operands, FILE[,KEY=VALUE...]. `programs`: accepts times of programs that replace the library's
// algorithms. Throws Error as the readers do.
[[nodiscard]] MeasuredInputs read_measured(const std::vector<std::string>& operands,
                                           const convert::Machine& machine, bool programs, Context& context);

// Logs how much was read.
void log_inputs(const MeasuredInputs& inputs);

}  // namespace tools
