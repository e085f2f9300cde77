// SPDX-License-Identifier: MIT
// Looks up the names of a few nodes of a set by reading the set again.
#pragma once

#include <vector>

#include "common/source.h"
#include "common/tool.h"
#include "simulate/waits/deadlock.h"

namespace tools {

// Sets the names of the first `most` nodes (0: all) from the traces. Does nothing for pipes, which can be read only
// once.
void look_up_names(const InputOptions& input, Context& context, std::size_t most,
                   std::vector<convert::WaitingNode>& nodes);

}  // namespace tools
