// SPDX-License-Identifier: MIT
// Pairs by name and order, thread by thread, between those that are known.
#pragma once

#include "passes/link/match/calls.h"
#include "passes/link/report.h"

namespace convert {

// What lies between two pairs of a thread is aligned there, and nowhere else; what lies before the first or behind
// the last, next to it. A thread without any pair is aligned with the one that has most of its names, where it
// fits. `same_numbers`: equal names with different sequence numbers are different calls.
void pair_between(BothCalls& calls, bool same_numbers, LinkReport& report);

}  // namespace convert
