// SPDX-License-Identifier: MIT
// Cuts the profile to the part that the host trace observed.
#pragma once

#include "core/profile.h"
#include "passes/link/match/matching.h"
#include "passes/link/report.h"

namespace convert {

// Removes operators and calls that began before the first operator of the host trace, if other operators ran there,
// and what these calls launched; likewise behind the last. Keeps what was launched within, whenever it ran, and
// ends an annotation that encloses the end of the observation there.
void keep_observed(Profile& device, Matching& matching, LinkReport& report);

}  // namespace convert
