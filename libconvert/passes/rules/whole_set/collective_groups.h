// SPDX-License-Identifier: MIT
// Sorts the collectives of a set by group: which ranks belong to it and what each runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "passes/validate.h"

namespace convert::rules {

struct CollectiveGroup {
  std::string name{};   // pg_name; empty: all ranks
  bool listed = false;  // its ranks are from the groups file
  struct Member {
    Rank rank;
    const GroupUse* use;  // null if it runs none of the group's collectives, or is not in the set
  };
  std::vector<Member> members{};    // in the order of the group
  std::vector<Member> outsiders{};  // ranks that use it without being members
};
// Returns the groups that some rank uses: that of all ranks, numbered ones, others by name. Without a list the
// members are the ranks that use the name. If `world` is more than the ranks, the group of all has the missing ones
// too.
[[nodiscard]] std::vector<CollectiveGroup> collective_groups(std::span<const TraceSummary> set,
                                                             const GroupLists* lists, std::size_t world = 0);

// Returns "group 7" or "all ranks".
[[nodiscard]] std::string group_text(const std::string& name);

// Returns whether two ranks can mean one collective by these calls. Unknown types fit all.
[[nodiscard]] bool same_type(const CollectiveNode& a, const CollectiveNode& b);
// Returns the size in bytes that must be the same on all `ranks` ranks of a group; -1 if it is unknown or may
// differ.
[[nodiscard]] std::int64_t common_size(const GroupUse& use, std::size_t call, std::size_t ranks);

}  // namespace convert::rules
