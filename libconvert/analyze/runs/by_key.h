// SPDX-License-Identifier: MIT
// Adds up the slices of a run by name, lane, process group or rank.
#pragma once

#include <string>

#include "analyze/figures/figures.h"
#include "core/run.h"

namespace convert {

// Returns the table of count, sum, mean, percentiles and least slack. `by`: name, type, group or rank. Slices that
// had not ended when the run did count until then.
[[nodiscard]] Table slices_by(const Run& run, const std::string& by);

}  // namespace convert
