// SPDX-License-Identifier: MIT
// When the steps of an algorithm ran, in a replay of the traces that were made of it.
#pragma once

#include <span>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/timeline.h"
#include "core/trace.h"

namespace convert {

// By step of the algorithm; -1: it did not run.
struct StepTimes {
  std::vector<Picoseconds> begin_ps;  // of its first node, and not before the step before it ended
  std::vector<Picoseconds> end_ps;    // of its last node
};

// Returns the times of `algorithm`, which raise_algorithm() made of the traces, from their timeline.
[[nodiscard]] StepTimes step_times(std::span<const Trace> traces, const Algorithm& algorithm,
                                   const Timeline& timeline);

}  // namespace convert
