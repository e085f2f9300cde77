// SPDX-License-Identifier: MIT
// Gives links capacities in trees: how many of them a link carries while the bound of bandwidth lasts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "synthesis/exact/root_flows.h"
#include "synthesis/fraction.h"
#include "synthesis/graph.h"

namespace convert {

struct TreeScale {
  std::int64_t trees = 1;                  // from each root
  Fraction per_bandwidth{};                // trees on a link of bandwidth 1; of more, so many times, rounded down
  std::vector<std::int64_t> capacities{};  // by link
};

// Returns the fewest trees of a root with which all links together can be used as the bound says, where `bound` is
// the largest ratio of a cut, see DeviceCut::ratio(), in lowest terms.
[[nodiscard]] std::int64_t exact_tree_count(const LinkGraph& graph, const Fraction& bound);

// Returns the least capacities, not below those of the bound, with which demand.trees trees of each root exist.
// These are those of the bound if that many make whole numbers of them. None if numbers grow too large.
[[nodiscard]] std::optional<TreeScale> scale_trees(const LinkGraph& graph, const TreeDemand& demand,
                                                   const Fraction& bound);

}  // namespace convert
