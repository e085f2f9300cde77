// SPDX-License-Identifier: MIT
// Options of et-calibrate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/app.h"

namespace tools {

struct CalibrateOptions {
  std::vector<std::string> operands;
  std::optional<std::string> machine;
  std::optional<std::string> program;  // an algorithm
  std::optional<std::string> output;
  std::optional<std::string> plot;
  std::optional<std::string> residuals;
  std::optional<std::string> format;
  bool test = false;
  bool tables_only = false;
  bool no_tables = false;
  bool force = false;

  // Returns the path of the table beside the output: OUT.csv for OUT.yml.
  [[nodiscard]] std::string table() const;
};

void declare_calibrate(App& app, CalibrateOptions& o);
// Throws Error(usage) for options that cannot be combined.
void check_usage(const CalibrateOptions& o);

}  // namespace tools
