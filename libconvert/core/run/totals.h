// SPDX-License-Identifier: MIT
// Totals of a run that consists of slices.
#pragma once

#include "core/run.h"

namespace convert {

// Sets the duration of the run and the totals of each NPU, as far as its slices determine them. Open slices have
// not ended.
void add_totals(Run& run);

}  // namespace convert
