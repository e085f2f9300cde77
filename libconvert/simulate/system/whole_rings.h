// SPDX-License-Identifier: MIT
// Says in which programs rings are run as wholes.
#pragma once

#include "simulate/program/program.h"

namespace convert {

// Returns whether no message of the program meets another, nor is looked at, and all phases of its collectives are
// rings that can be run as wholes.
[[nodiscard]] bool can_run_whole_rings(const CommonProgram& program);

}  // namespace convert
