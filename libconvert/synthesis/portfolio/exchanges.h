// SPDX-License-Identifier: MIT
// Makes candidates of all-to-alls, scatters and gathers, by ways for each part.
#pragma once

#include <optional>

#include "synthesis/portfolio.h"

namespace convert {

// Returns the best candidate; nothing if none has as many pieces as are wanted.
[[nodiscard]] std::optional<TimedMoves> make_exchange(const SynthesisProblem& problem,
                                                      const SynthesisChoice& choice, const Bounds& bounds);

}  // namespace convert
