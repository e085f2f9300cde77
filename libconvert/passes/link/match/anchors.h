// SPDX-License-Identifier: MIT
// Pairs operators by autograd's sequence numbers, which both files write and which tell the calls of an operator
// apart.
#pragma once

#include <cstdint>
#include <vector>

#include "passes/link/match/calls.h"
#include "passes/link/report.h"

namespace convert {

// Pairs operators whose name, sequence number and role (forward or backward) occur as often on both sides, the k-th
// with the k-th of a thread, except those that contradict most others by thread or order. Returns whether sequence
// numbers count the same in both files: equal names with different numbers are different calls then.
bool pair_by_sequence(BothCalls& calls, LinkReport& report);

// Returns, by thread of the host trace, the thread of the profile with most of its partners; Call::none: it has
// none.
[[nodiscard]] std::vector<std::uint32_t> threads_by_partners(const BothCalls& calls);

}  // namespace convert
