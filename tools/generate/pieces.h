// SPDX-License-Identifier: MIT
// Numbers of pieces of synthesized programs: MSCCL-IR has chunks of one size, and runtimes limit the steps.
#pragma once

#include <cstdint>

#include "core/algorithm/algorithm.h"
#include "synthesis/portfolio.h"
#include "synthesis/problem.h"

namespace tools {

// Returns the size of the largest element, at most 8 bytes, that divides a shard of the collective.
[[nodiscard]] std::int64_t element_bytes(const convert::SynthesisProblem& problem);

// Returns whether the chunks of an algorithm are whole elements.
[[nodiscard]] bool has_whole_elements(const convert::SynthesisProblem& problem,
                                      const convert::Algorithm& algorithm);

// Chooses fewer pieces than `chunks` chunks have, for an algorithm with `times` as many steps as a runtime accepts.
// Returns false if there cannot be fewer.
[[nodiscard]] bool take_fewer_pieces(const convert::SynthesisProblem& problem, std::int32_t chunks, double times,
                                     convert::SynthesisChoice& choice);

}  // namespace tools
