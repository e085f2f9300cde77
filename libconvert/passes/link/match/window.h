// SPDX-License-Identifier: MIT
// The part of the profile that the host trace observed.
#pragma once

#include "core/profile.h"
#include "passes/link/match/matching.h"
#include "passes/link/report.h"

namespace convert {

// Removes from the profile what ran before the first operator of the host trace, if other operators ran there, and
// likewise what ran behind the last: operators and calls that begin there, and what these calls launched. What was
// launched within stays, whenever it ran. An annotation within which the observation ended ends with it.
void keep_observed(Profile& device, Matching& matching, LinkReport& report);

}  // namespace convert
