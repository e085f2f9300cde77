// SPDX-License-Identifier: MIT
// Does the work of et-validate --fix.
#pragma once

#include <string>

#include "common/options.h"
#include "common/tool.h"
#include "sets/check.h"

namespace tools {

// Repairs the input and checks it; what is valid then is repaired again on its way to the output. Reports the
// findings in `format`, and what was repaired and left on standard error. Returns the exit status.
int fix(const InputOptions& input, const OutputOptions& output, const convert::CheckOptions& options,
        const std::string& format, Context& context);

}  // namespace tools
