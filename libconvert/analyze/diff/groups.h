// SPDX-License-Identifier: MIT
// Comparison of the process groups of two trace sets.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analyze/diff/difference.h"

namespace convert {

// Process groups of a trace set by id, and its number of ranks.
struct SetGroups {
  std::map<std::int64_t, std::vector<Rank>> groups{};
  std::uint64_t ranks = 0;
};

// Returns the name in B of each group of A. A group of A corresponds to the group of B with the same members, in
// rank numbers of B. If several groups have the same members, they are paired in order of their ids. A group of A
// without counterpart gets a name that no group of B has if its id belongs to a paired group of B. Returns an empty
// map if both sides number their ranks equally: groups are then matched by id.
[[nodiscard]] std::map<std::string, std::string, std::less<>> groups_in_b(const SetGroups& a, const SetGroups& b,
                                                                          const DiffWishes& wishes);

// Adds the groups whose members differ, in order of their ids. `wishes.groups` maps group names of A to B. A group
// 0 of all ranks in ascending order is ignored, as this is its default.
void compare_groups(SetGroups a, SetGroups b, const DiffWishes& wishes, Difference& to);

}  // namespace convert
