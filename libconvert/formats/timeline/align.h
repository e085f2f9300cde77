// SPDX-License-Identifier: MIT
// Alignment of several runs in time by the start of slices with a common name prefix.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/run.h"

namespace convert {

// Returns the delay of each run with which the first slices whose names begin with `name` begin at the same time;
// no delays if `name` is empty. Throws Error(usage) if a run has no such slice.
[[nodiscard]] std::vector<Picoseconds> delays_of(std::span<const Run> runs, const std::string& name);

}  // namespace convert
