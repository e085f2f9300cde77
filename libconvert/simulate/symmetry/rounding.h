// SPDX-License-Identifier: MIT
// Error bound of treating shards that differ by one byte as equal.
#pragma once

#include <vector>

#include "core/units.h"
#include "simulate/engine/collective_list.h"
#include "simulate/program/program.h"

namespace convert {

// Returns the maximum difference of times from a replay with exact shards. `runs` are the collectives, each
// simulated once for all equivalent groups. A causal chain contains every round of every chunk of a collective
// once, on each link of its route. Each of these transmissions, delays and reductions changes by the time of the
// bytes, and by the unit to which the model truncates times. The bound holds if no two nodes compete for a slot,
// and no two messages for a link, in a different order.
[[nodiscard]] Picoseconds rounding_bound(const LinkedProgram& program, const std::vector<CalledCollective>& runs);

}  // namespace convert
