// SPDX-License-Identifier: MIT
// Says which ring phases are run as wholes, and when that takes less than to run one of equivalent ranks for all.
#pragma once

#include "simulate/program/program.h"
#include "simulate/symmetry/symmetry.h"

namespace convert {

// Returns whether no message of the program meets another, nor is looked at.
[[nodiscard]] bool can_run_whole_rings(const CommonProgram& program);

// Returns whether such a program runs the phase as a whole: a ring of some rounds, in which what a member ends with
// comes from all of them, so that none ends before all have begun.
[[nodiscard]] bool is_run_whole(const PhasePlan& phase);

// Returns whether far fewer events are needed with whole rings of all ranks than with each message of
// representatives.
[[nodiscard]] bool whole_rings_need_less(const ReplayProgram& program, const Equivalence& equivalence);

}  // namespace convert
