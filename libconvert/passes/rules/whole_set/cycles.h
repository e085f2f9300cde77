// SPDX-License-Identifier: MIT
// Finds cycles in a whole set, and ranks that never end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "passes/rules/whole_set/whole_set.h"

namespace convert::rules {

// Returns the nodes on a cycle, and those on a path from one cycle to another, ascending. Takes linear time.
[[nodiscard]] std::vector<std::uint32_t> nodes_on_cycles(const WholeSet& whole);

// Returns short cycles among these nodes (ascending) that share no node, at least `most` if there are so many: one
// of each strongly connected part, then one of each part that is left, and so on. Each begins with its lowest node,
// by which they are sorted; each node waits for the one before it, the first for the last.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> cycles_among(const WholeSet& whole,
                                                                   std::vector<std::uint32_t> nodes,
                                                                   std::size_t most);

// Names the first node of a rank that waits for another rank and never ends.
struct Blocked {
  std::uint32_t node;
  std::uint32_t on;  // of a receive its send; of a collective call that of the first rank that never gets there
  std::uint32_t missing;  // of a collective call: how many ranks never get there
};
struct BlockedRanks {
  std::vector<Blocked> first;  // one for each of the first `most` ranks that never end, by rank
  std::size_t more = 0;        // further ranks that never end
};
// Returns the first blocked node of each rank that never ends, of at most `most` ranks. Takes linear time.
[[nodiscard]] BlockedRanks first_blocked(const WholeSet& whole, std::size_t most);

}  // namespace convert::rules
