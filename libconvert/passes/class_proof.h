// SPDX-License-Identifier: MIT
// Validates a set that is held by classes of ranks without looking at each rank.
#pragma once

#include <string>

#include "core/master/master_set.h"
#include "passes/validate.h"

namespace convert {

// Proves that the rules find nothing in a set. One rank of each class is checked by itself. Then the set is folded:
// two ranks stand for each class, with its messages and collectives. What ranks wait for maps from the set to the
// folded one, so a circle of the set is a circle there, and in a run all ranks of a class are in step with theirs.
// That is so if all ranks of a class send to, and receive from, one class, and if all groups of a call hold the
// same classes, which is checked rank by rank, as are the members of groups. Returns false if it proves nothing:
// then the ranks must be checked. `groups`: null if there are none. Messages call the set `file`.
[[nodiscard]] bool proved_by_classes(const MasterSet& set, const std::string& file, const RuleSet& rules,
                                     const GroupLists* groups);

}  // namespace convert
