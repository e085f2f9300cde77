// SPDX-License-Identifier: MIT
// Decides whether replaying one of equivalent ranks is cheaper than replaying all ranks.
#pragma once

#include "simulate/program/program.h"
#include "simulate/symmetry/symmetry.h"

namespace convert {

// Returns whether whole rings of all ranks need far fewer events than single messages of representatives.
[[nodiscard]] bool whole_rings_need_less(const ReplayProgram& program, const Equivalence& equivalence);

}  // namespace convert
