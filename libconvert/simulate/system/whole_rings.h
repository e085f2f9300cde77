// SPDX-License-Identifier: MIT
// Says which ring phases are run as wholes.
#pragma once

#include "simulate/program/program.h"

namespace convert {

// Returns whether no message of the program meets another, nor is looked at, and all messages of its collectives
// are of such phases.
[[nodiscard]] bool can_run_whole_rings(const CommonProgram& program);

// Returns whether such a program runs the phase as a whole: a ring in which what a member ends with comes
// from all of them, and each message is followed by work that takes time, so that none ends before all have begun.
[[nodiscard]] bool is_run_whole(const PhasePlan& phase);

}  // namespace convert
