// SPDX-License-Identifier: MIT
// Pairs operators by name and order, thread by thread, between pairs that are known.
#pragma once

#include "passes/link/match/calls.h"
#include "passes/link/report.h"

namespace convert {

// Aligns what lies between two pairs of a thread only there, and what lies before the first or behind the last next
// to it. Aligns a thread without pairs with the one that has most of its names, if it fits. `same_numbers`: equal
// names with different sequence numbers are different calls.
void pair_between(BothCalls& calls, bool same_numbers, LinkReport& report);

}  // namespace convert
