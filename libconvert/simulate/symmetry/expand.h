// SPDX-License-Identifier: MIT
// What a replay of representatives says of all ranks.
#pragma once

#include "simulate/engine/collective_list.h"
#include "simulate/symmetry/order_observer.h"
#include "simulate/symmetry/symmetry.h"

namespace convert {

// `reduced`: what the program of the representatives came to. `program`: that of all ranks.
[[nodiscard]] ReplayOutcome expand(ReplayOutcome reduced, const FirstCallers& first_callers,
                                   const Equivalence& equivalence, const ReplayProgram& program);

}  // namespace convert
