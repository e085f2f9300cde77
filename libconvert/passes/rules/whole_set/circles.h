// SPDX-License-Identifier: MIT
// Circles of a whole set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "passes/rules/whole_set/whole_set.h"

namespace convert::rules {

// Nodes that lie on a circle or between two, ascending. Linear.
[[nodiscard]] std::vector<std::uint32_t> knotted_nodes(const WholeSet& whole);

// Short circles among those nodes (ascending) that have no node in common, until none is left or there are at least
// `most`: one of each knot, then one of each knot that is left, and so on. By their lowest nodes, with which each
// begins; each node waits for the one before it, the first for the last.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> circles_among(const WholeSet& whole,
                                                                    std::vector<std::uint32_t> nodes,
                                                                    std::size_t most);

// The first node of a rank that waits for another rank and never ends.
struct Blocked {
  std::uint32_t node;
  std::uint32_t on;       // the send of a receive; of a call, that of the first rank that never gets to it
  std::uint32_t missing;  // how many ranks do not, of a call
};
struct BlockedRanks {
  std::vector<Blocked> first;  // one of each rank that never ends, by rank; of so many ranks
  std::size_t more = 0;        // further ranks that never end
};
// Linear.
[[nodiscard]] BlockedRanks first_blocked(const WholeSet& whole, std::size_t most);

}  // namespace convert::rules
