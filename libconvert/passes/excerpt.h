// SPDX-License-Identifier: MIT
// Extracts part of a trace set for viewing: some ranks, some nodes, or the neighbourhood of one node.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/trace.h"

namespace convert {

struct NearNode {
  std::optional<Rank> rank{};  // required if the set has several ranks
  NodeId node = 0;
  std::uint32_t hops = 2;  // over dependencies and messages, in both directions
};

struct ExcerptOptions {
  std::optional<std::pair<NodeId, NodeId>> nodes{};  // first and last id
  std::optional<NearNode> around{};
};

struct ExcerptCounts {
  std::uint64_t nodes = 0;     // omitted nodes
  std::uint64_t cut_deps = 0;  // dependencies of kept nodes on omitted nodes
};

// Keeps the nodes that every given option selects. Drops their dependencies on other nodes, and ranks without
// nodes. Throws Error(usage) if no node is left, if the node of `around` does not exist, or if its rank is
// required.
ExcerptCounts take_excerpt(std::vector<Trace>& traces, const ExcerptOptions& options);

}  // namespace convert
