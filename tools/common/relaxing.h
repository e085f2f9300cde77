// SPDX-License-Identifier: MIT
// Reports what was taken out of a set so that no ranks wait for each other in a cycle.
#pragma once

#include "common/tool.h"
#include "passes/relax.h"

namespace tools {

// Prints on standard error each message pair that the recorded times contradict, and each dependency taken out, of
// both up to --max-errors; nothing if there were no cycles.
void report(const convert::Relaxation& relaxation, const Context& context);

}  // namespace tools
