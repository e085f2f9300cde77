// SPDX-License-Identifier: MIT
// Says whether to run one of equivalent ranks for all takes less than to run all of them.
#pragma once

#include "simulate/program/program.h"
#include "simulate/symmetry/symmetry.h"

namespace convert {

// Returns whether far fewer events are needed with whole rings of all ranks than with each message of
// representatives.
[[nodiscard]] bool whole_rings_need_less(const ReplayProgram& program, const Equivalence& equivalence);

}  // namespace convert
