// SPDX-License-Identifier: MIT
// Makes all of a symmetric algorithm from what the roots of a symmetry have for the others.
#pragma once

#include "synthesis/moves.h"
#include "synthesis/symmetry/symmetry.h"
#include "synthesis/trees/packing.h"

namespace convert {

// Returns the moves, of the trees of NetworkSymmetry::roots, as they are timed: of each link its class takes the
// place. The links of a class do the same at the same time, each for another image of a tree, so that what does not
// meet on the class does not meet on a link.
[[nodiscard]] Moves by_class(const NetworkSymmetry& symmetry, Moves moves);

// Returns the moves of all participants, those of one after those of the one before: the images of `base`, the
// moves of the roots with their own links, at its times.
[[nodiscard]] TimedMoves expanded(const SynthesisProblem& problem, const NetworkSymmetry& symmetry,
                                  const TimedMoves& base);

}  // namespace convert
