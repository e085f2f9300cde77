// SPDX-License-Identifier: MIT
// A rule's builtin algorithm, as the library of collectives wants it.
#pragma once

#include <cstdint>

#include "collectives/collective.h"
#include "config/merge_map.h"

namespace convert {

// "ring,chunks=4,dims=2x4" for a collective of so many members. `root`: its place, -1 if the collective tells none.
// Throws Error(usage) with the rule.
[[nodiscard]] CollectiveRequest request_of(const MergeRule& rule, CollectiveType type, std::uint32_t members,
                                           std::int64_t root);

}  // namespace convert
