// SPDX-License-Identifier: MIT
// What was taken out of a set so that no ranks wait for each other in a circle, for standard error.
#pragma once

#include "common/tool.h"
#include "passes/relax.h"

namespace tools {

// Each message pair that the recorded times contradict, and each dependency taken out; of both up to --max-errors.
// Nothing if there were no circles.
void report(const convert::Relaxation& relaxation, const Context& context);

}  // namespace tools
