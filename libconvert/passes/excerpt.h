// SPDX-License-Identifier: MIT
// Cuts a part out of a set of traces, to be looked at: some ranks, some nodes, or the surroundings of one node.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/trace.h"

namespace convert {

struct NearNode {
  std::optional<Rank> rank{};  // must be given if the set has several
  NodeId node = 0;
  std::uint32_t hops = 2;  // over dependencies and messages, in both directions
};

struct ExcerptOptions {
  std::optional<std::pair<NodeId, NodeId>> nodes{};  // first and last id
  std::optional<NearNode> around{};
};

struct ExcerptCounts {
  std::uint64_t nodes = 0;     // left out
  std::uint64_t cut_deps = 0;  // dependencies of kept nodes on nodes left out
};

// Keeps the nodes that every given option selects; drops their dependencies on others, and ranks left empty. Throws
// Error(usage) if no node is left, if the node of `around` does not exist, or if its rank must be given.
ExcerptCounts take_excerpt(std::vector<Trace>& traces, const ExcerptOptions& options);

}  // namespace convert
