// SPDX-License-Identifier: MIT
// Makes the workload of et-generate's command line, and explains it.
#pragma once

#include <string>

#include "generate/options.h"
#include "generate/workload/workload.h"

namespace tools {

// Returns whether KIND names a model, or a workload file.
[[nodiscard]] bool names_workload(const std::string& kind);

// Returns the workload of KIND, --plan, --npus and --set, and prints its plan as a note. Throws Error, with the
// position of the setting if it is in a file.
[[nodiscard]] convert::WorkloadSet workload_of(const GenerateOptions& o, Context& context);

// Returns a description of a set: parameters, operations, nodes, bytes of collectives by group, by stage.
[[nodiscard]] std::string explain(const convert::WorkloadSet& set);

}  // namespace tools
