// SPDX-License-Identifier: MIT
// Circles of a whole set.
#pragma once

#include <cstdint>
#include <vector>

#include "passes/rules/whole_set.h"

namespace convert::rules {

// Nodes that lie on a circle or between two, ascending. Linear.
[[nodiscard]] std::vector<std::uint32_t> knotted_nodes(const WholeSet& whole);

// Short circles among those nodes (ascending) that have no node in common, until none is left or there are at least
// `most`: one of each knot, then one of each knot that is left, and so on. By their lowest nodes, with which each
// begins; each node waits for the one before it, the first for the last.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> circles_among(const WholeSet& whole,
                                                                    std::vector<std::uint32_t> nodes,
                                                                    std::size_t most);

}  // namespace convert::rules
