// SPDX-License-Identifier: MIT
// Says how a run was made: the workload, the command line, what was simulated.
#pragma once

#include <string>
#include <vector>

#include "common/tool.h"
#include "core/run.h"
#include "scenario/scenario.h"

namespace tools {

// Returns a run that has nothing but title, settings and inputs, with the SHA-256 of regular files, uncompressed.
// `workload` is the operand, `files` all input files. Throws Error like open_input.
[[nodiscard]] convert::Run about_run(const std::string& workload, const convert::Scenario& scenario,
                                     const std::vector<std::string>& files, const Context& context);

}  // namespace tools
