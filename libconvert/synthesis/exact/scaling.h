// SPDX-License-Identifier: MIT
// Capacities of links in trees: how many trees a link carries within the bandwidth bound.
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
  Fraction per_bandwidth{};                // trees on a link of bandwidth 1; multiplied by the bandwidth and
                                           // rounded down for other links
  std::vector<std::int64_t> capacities{};  // by link
};

// Returns the fewest trees per root with which all links can be used as the bound requires. `bound` is the largest
// ratio of a cut, see DeviceCut::ratio(), in lowest terms.
[[nodiscard]] std::int64_t exact_tree_count(const LinkGraph& graph, const Fraction& bound);

// Returns the least capacities, not below the bound's, with which demand.trees trees of each root exist. They equal
// the bound's capacities if that number of trees makes them integers. Nothing if numbers become too large.
[[nodiscard]] std::optional<TreeScale> scale_trees(const LinkGraph& graph, const TreeDemand& demand,
                                                   const Fraction& bound);

}  // namespace convert
