// SPDX-License-Identifier: MIT
// Bundles of links with equal shares of every message that is split over equal-cost routes.
#pragma once

#include <cstdint>
#include <vector>

#include "config/network/wire_graph.h"
#include "core/rows.h"

namespace convert {

// Graph whose links are bundles of links of another graph.
struct BundledGraph {
  WireGraph graph;  // a link joins the lowest devices of two classes, with the sum of bandwidths
  Rows links;       // by link of `graph`: the bundle's links in the other graph, ascending
};

// Merges equivalent switches. Computes the coarsest partition in which all switches of a class have the same
// links to and from each class, and each NPU has its own class (an equitable partition, by colour refinement:
// Paige and Tarjan 1987). Messages that are split in proportion to bandwidth then load all links between two
// classes equally, at the same times, so one link represents them all. A fat tree becomes a tree, a leaf-spine
// fabric a star.
[[nodiscard]] BundledGraph bundle_links(const WireGraph& graph);

// Returns whether routes may diverge at switches: some device has links to two switches.
[[nodiscard]] bool may_have_ties(const WireGraph& graph);

}  // namespace convert
