// SPDX-License-Identifier: MIT
// Folds the nodes of merged collectives back into the collectives that they came from: undoes et-merge.
#pragma once

#include <cstdint>

#include "core/trace.h"

namespace convert {

struct CollapseCounts {
  std::uint64_t collectives = 0;
  std::uint64_t nodes = 0;  // folded
};

// Replaces trace.nodes. Other nodes stay, but for dependencies on what is folded; a collective stands before the
// first of them with a higher id. Throws Error(input) [collapse] with the node, if a merged collective is not whole
// or was edited: nodes missing or added, a dependency on a part of it, one that only a part of it has.
[[nodiscard]] CollapseCounts collapse_collectives(Trace& trace);

}  // namespace convert
