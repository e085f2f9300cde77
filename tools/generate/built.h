// SPDX-License-Identifier: MIT
// Makes algorithms with builders, by name or along the rings of a graph file.
#pragma once

#include "common/tool.h"
#include "core/algorithm/algorithm.h"
#include "generate/options.h"

namespace tools {

// Writes the algorithm, one for each size. Throws Error.
void generate_built(const GenerateOptions& o, convert::Collective collective, Context& context);

}  // namespace tools
