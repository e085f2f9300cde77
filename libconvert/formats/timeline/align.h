// SPDX-License-Identifier: MIT
// Draws several runs so that what has one name begins at one time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/run.h"

namespace convert {

// Returns by how much each run is drawn later, so that the first slices whose names begin with `name` begin
// together; without a name not at all. Throws Error(usage) if a run has no such slice.
[[nodiscard]] std::vector<Picoseconds> delays_of(std::span<const Run> runs, const std::string& name);

}  // namespace convert
