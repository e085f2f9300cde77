// SPDX-License-Identifier: MIT
// Makes schedules faster that list scheduling has found: by scheduling forwards and backwards in turn.
#pragma once

#include "synthesis/moves.h"

namespace convert {

// Returns the same moves with the least total that is found, each time in the order of the times before: what ends
// last begins backwards. Each move then leaves as soon as those before it on its links have. Goes on while that
// helps. Source: Li and Willis, An iterative scheduling technique for resource-constrained project scheduling
// (1992).
[[nodiscard]] TimedMoves improved(const SynthesisProblem& problem, TimedMoves made);

// Returns the same, each move as early as those before it on its links let it leave: as a replay by the order of
// links has it. What is played backwards begins later than it must.
[[nodiscard]] TimedMoves moved_up(const SynthesisProblem& problem, TimedMoves made);

}  // namespace convert
