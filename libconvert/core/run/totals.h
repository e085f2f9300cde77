// SPDX-License-Identifier: MIT
// Sums up a run that consists of slices.
#pragma once

#include "core/run.h"

namespace convert {

// Sets how long the run took and what each NPU did, as far as its slices tell. Slices that are open have not ended.
void add_totals(Run& run);

}  // namespace convert
