// SPDX-License-Identifier: MIT
// Expands the moves of the roots of a symmetry to all participants.
#pragma once

#include "synthesis/moves.h"
#include "synthesis/symmetry/symmetry.h"
#include "synthesis/trees/packing.h"

namespace convert {

// Returns the moves for scheduling the trees of NetworkSymmetry::roots: each link is replaced by its class. The
// links of a class do the same at the same time, each for another image of a tree. So messages that do not collide
// on the class do not collide on a link.
[[nodiscard]] Moves by_class(const NetworkSymmetry& symmetry, Moves moves);

// Returns the moves of all participants, participant by participant. They are the images of `base`, the moves of
// the roots with their own links and times.
[[nodiscard]] TimedMoves expanded(const SynthesisProblem& problem, const NetworkSymmetry& symmetry,
                                  const TimedMoves& base);

}  // namespace convert
