// SPDX-License-Identifier: MIT
// Origin of a run: the workload, the command line, the simulated system.
#pragma once

#include <string>
#include <vector>

#include "common/tool.h"
#include "core/run.h"
#include "scenario/scenario.h"
#include "sets/source.h"
#include "simulate/engine/replay.h"

namespace tools {

// Returns a run with only title, settings, inputs (with the SHA-256 of regular files, uncompressed) and names of
// groups. `workload` is the operand, `files` all input files, `traces` the set, read to its end, `result` its
// replay. The settings include the operations of the workload and the peak of an NPU if the traces or the roofline
// state them. Throws Error like open_input.
[[nodiscard]] convert::Run about_run(const std::string& workload, const convert::Scenario& scenario,
                                     const std::vector<std::string>& files, const convert::TraceSource& traces,
                                     const convert::ReplayResult& result, const Context& context);

// Returns the number of collective calls by the origin of their time on a machine, and the expected error of their
// time.
[[nodiscard]] std::string sources_of_calls(const convert::ReplayProgram& program);

}  // namespace tools
