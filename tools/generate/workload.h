// SPDX-License-Identifier: MIT
// Finds the workload that et-generate's command line asks for, and explains it.
#pragma once

#include <string>

#include "generate/options.h"
#include "generate/workload/workload.h"

namespace tools {

// Returns whether KIND names a model, or a workload file.
[[nodiscard]] bool names_workload(const std::string& kind);

// Returns the workload of KIND, --plan, --npus and --set, and prints its plan as a note. Throws Error, with the
// place of settings in a file.
[[nodiscard]] convert::WorkloadSet workload_of(const GenerateOptions& o, Context& context);

// Returns what a set is made of, as text: parameters, operations, nodes, bytes of collectives by group, by stage.
[[nodiscard]] std::string explain(const convert::WorkloadSet& set);

}  // namespace tools
