// SPDX-License-Identifier: MIT
// Times of the steps of an algorithm in a replay of its traces.
#pragma once

#include <span>
#include <vector>

#include "core/algorithm/algorithm.h"
#include "core/timeline.h"
#include "core/trace.h"

namespace convert {

// By step of the algorithm; -1: it did not run.
struct StepTimes {
  std::vector<Picoseconds> begin_ps;  // begin of its first node, but not before the end of the previous step
  std::vector<Picoseconds> end_ps;    // end of its last node
};

// Returns the times of `algorithm`, the result of raise_algorithm() for the traces, from their timeline.
[[nodiscard]] StepTimes step_times(std::span<const Trace> traces, const Algorithm& algorithm,
                                   const Timeline& timeline);

}  // namespace convert
