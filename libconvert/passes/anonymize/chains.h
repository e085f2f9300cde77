// SPDX-License-Identifier: MIT
// Makes one node of computations that run one after the other and that nothing else waits between.
#pragma once

#include <cstdint>

#include "core/trace.h"

namespace convert {

// Merges the chains of a rank whose attributes are those that an anonymised trace keeps: computations of one lane,
// alike in what they tell, each the only child of the one before and without another parent. Their times, delays,
// operations and bytes add up; the first one's name, id, start and place stay. Ids must be unique, else nothing is
// merged. Returns how many nodes went.
std::uint64_t merge_chains(NodeTable& nodes);

}  // namespace convert
