// SPDX-License-Identifier: MIT
// Finds cycles in a whole set, and ranks that never finish.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "passes/rules/whole_set/whole_set.h"

namespace convert::rules {

// Returns the nodes on a cycle, and the nodes on a path from one cycle to another, ascending. Takes linear time.
[[nodiscard]] std::vector<std::uint32_t> nodes_on_cycles(const WholeSet& whole);

// Returns short disjoint cycles among these nodes (ascending), at least `most` if there are that many: one from
// each strongly connected component, then one from each component of the rest, and so on. Each cycle begins with
// its lowest node, by which cycles are sorted; each node waits for the previous one, the first for the last.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> cycles_among(const WholeSet& whole,
                                                                   std::vector<std::uint32_t> nodes,
                                                                   std::size_t most);

// The first node of a rank that waits for another rank and never ends.
struct Blocked {
  std::uint32_t node;
  // for a receive: its send; for a collective call: the call of the first rank that never reaches it
  std::uint32_t on;
  // for a collective call: number of ranks that never reach it
  std::uint32_t missing;
};
struct BlockedRanks {
  std::vector<Blocked> first;  // one for each of the first `most` ranks that never finish, by rank
  std::size_t more = 0;        // further ranks that never finish
};
// Returns the first blocked node of each rank that never finishes, for at most `most` ranks. Takes linear time.
[[nodiscard]] BlockedRanks first_blocked(const WholeSet& whole, std::size_t most);

}  // namespace convert::rules
