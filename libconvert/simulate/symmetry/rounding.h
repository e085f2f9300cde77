// SPDX-License-Identifier: MIT
// Bounds what it changes that parts of a collective that differ by a byte count as equal.
#pragma once

#include <vector>

#include "core/units.h"
#include "simulate/engine/collective_list.h"
#include "simulate/program/program.h"

namespace convert {

// Returns by how much times may differ at most from those of exact parts: of `runs`, each of which was simulated
// for all groups that do the same. A chain of causes has every round of every chunk of a collective once, on each
// link of its way, and each of these transmissions, delays and reductions changes by what the bytes take, and by
// the unit to which the model cuts times. Holds as long as no two nodes compete for a slot, and no two messages for
// a wire, in another order.
[[nodiscard]] Picoseconds rounding_bound(const LinkedProgram& program, const std::vector<CalledCollective>& runs);

}  // namespace convert
