// SPDX-License-Identifier: MIT
// Sorts the collectives of a set by group: member ranks, and the collectives of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "passes/validate.h"

namespace convert::rules {

// A process group and its use by the ranks of a set.
struct CollectiveGroup {
  std::string name{};   // pg_name; empty: all ranks
  bool listed = false;  // its ranks are from the groups file
  struct Member {
    Rank rank;
    const GroupUse* use;  // null if it runs none of the group's collectives, or is not in the set
  };
  std::vector<Member> members{};    // in group order
  std::vector<Member> outsiders{};  // ranks that use it without being members
};
// Returns the groups that some rank uses: the group of all ranks, numbered groups, then the others by name. The
// members of a group without a list are the ranks that use its name. If `world` is larger than the number of ranks,
// the group of all ranks includes the missing ranks.
[[nodiscard]] std::vector<CollectiveGroup> collective_groups(std::span<const TraceSummary> set,
                                                             const GroupLists* lists, std::size_t world = 0);

// Returns "group 7" or "all ranks".
[[nodiscard]] std::string group_text(const std::string& name);

// Returns whether these calls of two ranks can be the same collective. Unknown types match all types.
[[nodiscard]] bool same_type(const CollectiveNode& a, const CollectiveNode& b);
// Returns the size in bytes that must be equal on all `ranks` ranks of a group; -1 if it is unknown or may differ.
[[nodiscard]] std::int64_t common_size(const GroupUse& use, std::size_t call, std::size_t ranks);

}  // namespace convert::rules
