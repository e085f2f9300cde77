// SPDX-License-Identifier: MIT
// Reports what was removed from a set to break cycles of ranks that wait for each other.
#pragma once

#include "common/tool.h"
#include "passes/relax.h"

namespace tools {

// Prints on standard error each message pair that the recorded times contradict, and each removed dependency; up to
// --max-errors each. Prints nothing if there were no cycles.
void report(const convert::Relaxation& relaxation, const Context& context);

}  // namespace tools
