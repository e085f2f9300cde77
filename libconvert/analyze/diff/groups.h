// SPDX-License-Identifier: MIT
// Compares the process groups of two sets.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analyze/diff/difference.h"

namespace convert {

// The process groups of a set, by id, and how many ranks the set has.
struct SetGroups {
  std::map<std::int64_t, std::vector<Rank>> groups{};
  std::uint64_t ranks = 0;
};

// Returns what B calls each group of A whose members, with their numbers in B, are those of one of B, and of
// several the one in the same place by id; no group of B for other groups that B has by their id as another one.
// Empty where ranks have the same numbers: groups are then told by their ids.
[[nodiscard]] std::map<std::string, std::string, std::less<>> groups_in_b(const SetGroups& a, const SetGroups& b,
                                                                          const DiffWishes& wishes);

// Adds the groups whose members differ, in order of their ids; wishes.groups says which is which. Group 0 of all
// ranks in their order is as none.
void compare_groups(SetGroups a, SetGroups b, const DiffWishes& wishes, Difference& to);

}  // namespace convert
