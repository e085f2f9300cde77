// SPDX-License-Identifier: MIT
// Options of et-validate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "common/tool.h"
#include "sets/check.h"
#include "sets/source.h"

namespace tools {

struct ValidateOptions {
  InputOptions input;
  std::vector<std::string> rules;
  std::vector<std::string> ignore;
  std::optional<std::string> collective;
  std::string format = "text";
  bool list_rules = false;
  bool dataflow = false;
  bool no_dataflow = false;
  std::optional<std::string> target;
  bool quick = false;
  bool pass = false;
  bool fix = false;
  OutputOptions output;  // with fix
};

void add_validate_options(App& app, ValidateOptions& o);

// Throws Error(usage) for options that cannot be combined.
void check_usage(const ValidateOptions& o);
// Throws Error(usage) if the named runtime does not accept this kind of source.
void check_target(const ValidateOptions& o, const convert::TraceSource& source);

[[nodiscard]] convert::CheckOptions check_options(const ValidateOptions& o, unsigned jobs);
[[nodiscard]] convert::SourceOptions source_options(const ValidateOptions& o, const Context& context);

}  // namespace tools
