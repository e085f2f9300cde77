// SPDX-License-Identifier: MIT
// Takes nodes out of a trace.
#pragma once

#include <string_view>
#include <vector>

#include "core/trace.h"

namespace convert {

// Takes out the nodes of which `goes` says so, by index; what depended on one depends on what it depended on.
// `what` are these nodes, for messages. Throws Error(input) [split] on a cycle, or on dependencies beyond a limit.
void remove_nodes(Trace& trace, const std::vector<bool>& goes, std::string_view what);

}  // namespace convert
