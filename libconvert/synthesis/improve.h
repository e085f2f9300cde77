// SPDX-License-Identifier: MIT
// Improves list schedules by scheduling forwards and backwards in turn.
#pragma once

#include "synthesis/moves.h"

namespace convert {

// Returns the same moves with the least total found. Each pass orders moves by the times of the pass before: the
// last to end is the first to begin backwards. Then each move leaves as soon as the preceding moves on its links
// have left. Repeated as long as it helps. Source: Li and Willis, An iterative scheduling technique for
// resource-constrained project scheduling (1992).
[[nodiscard]] TimedMoves improved(const SynthesisProblem& problem, TimedMoves made);

// Returns the same moves, each as early as the preceding moves on its links allow, as in a replay with this link
// order. Moves of a reversed schedule begin later than necessary.
[[nodiscard]] TimedMoves moved_up(const SynthesisProblem& problem, TimedMoves made);

}  // namespace convert
