// SPDX-License-Identifier: MIT
// Expands the result of a replay of representatives to all ranks.
#pragma once

#include "simulate/engine/collective_list.h"
#include "simulate/symmetry/order_observer.h"
#include "simulate/symmetry/symmetry.h"

namespace convert {

// Returns the outcome for `program`, which has all ranks, from the outcome of the representatives' program. The
// timeline still contains only representatives. The maximum queue length of a link depends on the order of
// simultaneous events; it is the value of the representative.
[[nodiscard]] ReplayOutcome expand(ReplayOutcome reduced, const FirstCallers& first_callers,
                                   const Equivalence& equivalence, const ReplayProgram& program);

}  // namespace convert
