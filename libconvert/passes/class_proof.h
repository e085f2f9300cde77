// SPDX-License-Identifier: MIT
// Validates a class-compressed set without checking each rank.
#pragma once

#include <string>

#include "core/master/master_set.h"
#include "passes/validate.h"

namespace convert {

// Proves that the rules find nothing in a class-compressed set. The representative of each class is checked on its
// own. Then the set is folded: two ranks represent each class, with its messages and collectives. Dependencies map
// from the set to the folded set, so a cycle of the set is a cycle of the folded set. In a run, all ranks of a
// class progress in step with their folded ranks. This holds if all ranks of a class send to, and receive from, one
// class, and if all groups of a call contain the same classes. Both are checked rank by rank, as are the members of
// groups. Returns false if there is no proof; then the ranks must be checked one by one. `groups`: null if there
// are none. `file`: name of the set in messages.
[[nodiscard]] bool proved_by_classes(const MasterSet& set, const std::string& file, const RuleSet& rules,
                                     const GroupLists* groups);

}  // namespace convert
