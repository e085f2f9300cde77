// SPDX-License-Identifier: MIT
// Makes the algorithms of --algorithm graph:FILE, the rings of a graph file of NCCL.
#pragma once

#include "common/tool.h"
#include "core/algorithm/algorithm.h"
#include "generate/options.h"

namespace tools {

// Returns whether --algorithm names a graph file.
[[nodiscard]] bool names_graph_file(const GenerateOptions& o);

// Returns the algorithm; tells what the file holds with -v. Throws Error.
[[nodiscard]] convert::Algorithm graph_algorithm(const GenerateOptions& o, convert::Collective collective,
                                                 Context& context);

}  // namespace tools
