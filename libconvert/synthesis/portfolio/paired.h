// SPDX-License-Identifier: MIT
// Makes candidates of all-reduces by pairs of trees.
#pragma once

#include <optional>

#include "synthesis/portfolio.h"

namespace convert {

// Returns the best candidate; nothing if none has as many pieces as are wanted.
[[nodiscard]] std::optional<TimedMoves> make_paired(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                                    const Bounds& bounds);

}  // namespace convert
