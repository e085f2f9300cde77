// SPDX-License-Identifier: MIT
// Implements et-validate --fix.
#pragma once

#include <string>

#include "common/options.h"
#include "common/tool.h"
#include "sets/check.h"

namespace tools {

// Repairs the input and checks it. A valid result is repaired again while it is written. Reports the findings in
// `format`, and on standard error what was repaired and what was left. Returns the exit status.
int fix(const InputOptions& input, const OutputOptions& output, const convert::CheckOptions& options,
        const std::string& format, Context& context);

}  // namespace tools
