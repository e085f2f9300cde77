// SPDX-License-Identifier: MIT
// Pairs by the sequence numbers of autograd, which both files write and which tell the calls of an operator apart.
#pragma once

#include <cstdint>
#include <vector>

#include "passes/link/match/calls.h"
#include "passes/link/report.h"

namespace convert {

// Pairs operators whose name, sequence number and role (forward or backward) occur as often on both sides, the k-th
// with the k-th of a thread. What contradicts most others, by thread or by order, is not paired. Whether sequence
// numbers count the same on both sides: then equal names with different ones are different calls.
bool pair_by_sequence(BothCalls& calls, LinkReport& report);

// By thread of the host trace, the thread of the profile where most of its partners are; Call::none: it has none.
[[nodiscard]] std::vector<std::uint32_t> threads_by_partners(const BothCalls& calls);

}  // namespace convert
