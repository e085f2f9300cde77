// SPDX-License-Identifier: MIT
// Sums of the slices of a run by name, lane, process group or rank.
#pragma once

#include <string>

#include "analyze/figures/figures.h"
#include "core/run.h"

namespace convert {

// Returns the table of count, sum, mean, percentiles and least slack. `by`: name, type, group or rank. A slice that
// had not ended at the end of the run ends there.
[[nodiscard]] Table slices_by(const Run& run, const std::string& by);

}  // namespace convert
