// SPDX-License-Identifier: MIT
// Turns the result of a replay of representatives into that of all ranks.
#pragma once

#include "simulate/engine/collective_list.h"
#include "simulate/symmetry/order_observer.h"
#include "simulate/symmetry/symmetry.h"

namespace convert {

// Returns the outcome for `program`, which has all ranks, from that of the representatives' program; the timeline
// stays that of representatives. What a wire's queue was at most depends on the order of what comes and goes at one
// time: it is that of the representative.
[[nodiscard]] ReplayOutcome expand(ReplayOutcome reduced, const FirstCallers& first_callers,
                                   const Equivalence& equivalence, const ReplayProgram& program);

}  // namespace convert
