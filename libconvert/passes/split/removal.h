// SPDX-License-Identifier: MIT
// Removes nodes from a trace.
#pragma once

#include <string_view>
#include <vector>

#include "core/trace.h"

namespace convert {

// Removes the nodes selected by `goes` (by index). Nodes that depended on a removed node depend on its dependencies
// instead. `what` describes the removed nodes in messages. Throws Error(input) [split] on a cycle, or if there
// would be too many dependencies.
void remove_nodes(Trace& trace, const std::vector<bool>& goes, std::string_view what);

}  // namespace convert
