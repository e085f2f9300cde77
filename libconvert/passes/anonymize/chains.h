// SPDX-License-Identifier: MIT
// Merges computations that run one after the other and have no other dependents in between.
#pragma once

#include <cstdint>

#include "core/trace.h"

namespace convert {

// Merges the chains of a rank whose attributes are already anonymised. A chain consists of computations of one lane
// with equal attributes; each is the only child of its predecessor and has no other parent. Times, delays,
// operations and bytes are summed; the name, id, start and position are taken from the first node. Merges nothing
// if ids repeat. Returns the number of removed nodes.
std::uint64_t merge_chains(NodeTable& nodes);

}  // namespace convert
