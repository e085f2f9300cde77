// SPDX-License-Identifier: MIT
// The names of a few nodes of a set, which is read again for them.
#pragma once

#include <vector>

#include "common/source.h"
#include "common/tool.h"
#include "simulate/waits/deadlock.h"

namespace tools {

// Of the first so many (0: all). Nothing is looked up in standard input and pipes, which can be read but once.
void look_up_names(const InputOptions& input, Context& context, std::size_t most,
                   std::vector<convert::WaitingNode>& nodes);

}  // namespace tools
