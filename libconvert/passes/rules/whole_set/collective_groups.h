// SPDX-License-Identifier: MIT
// The collectives of a set by group: which ranks belong to it and what each runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "passes/validate.h"

namespace convert::rules {

struct CollectiveGroup {
  std::string name{};   // as in pg_name; empty: all ranks
  bool listed = false;  // its ranks are from the groups file
  struct Member {
    Rank rank;
    const GroupUse* use;  // null if it runs none of the group's collectives, or is not in the set
  };
  std::vector<Member> members{};    // in the order of the group
  std::vector<Member> outsiders{};  // ranks that use it without being members
};
// Those that some rank uses: that of all ranks, then by number, then others by name. Without a list the members are
// the ranks that use the name. Of `world` ranks, if that is more, the group of all has those that are missing too.
[[nodiscard]] std::vector<CollectiveGroup> collective_groups(std::span<const TraceSummary> set,
                                                             const GroupLists* lists, std::size_t world = 0);

// "group 7", "all ranks"
[[nodiscard]] std::string group_text(const std::string& name);

// Whether two ranks can mean one collective by these calls. What is not known does not tell them apart.
[[nodiscard]] bool same_type(const CollectiveNode& a, const CollectiveNode& b);
// The size that must be the same on all ranks; -1 if it is not known or need not be.
[[nodiscard]] std::int64_t common_size(const GroupUse& use, std::size_t call);

}  // namespace convert::rules
