// SPDX-License-Identifier: MIT
// Finds the names of a few nodes of a set, which is read again for them.
#pragma once

#include <vector>

#include "common/source.h"
#include "common/tool.h"
#include "simulate/waits/deadlock.h"

namespace tools {

// Sets the names of the first `most` nodes (0: all) from the traces; not from pipes, which can be read only once.
void look_up_names(const InputOptions& input, Context& context, std::size_t most,
                   std::vector<convert::WaitingNode>& nodes);

}  // namespace tools
