// SPDX-License-Identifier: MIT
// A part of a set of traces, to be looked at: some ranks, some nodes, or what is near a node.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/trace.h"

namespace convert {

struct NearNode {
  std::optional<Rank> rank{};  // needed where there are several
  NodeId node = 0;
  std::uint32_t hops = 2;  // dependencies and messages, against their direction too
};

struct ExcerptOptions {
  std::optional<std::pair<NodeId, NodeId>> nodes{};  // first and last id
  std::optional<NearNode> around{};
};

struct ExcerptCounts {
  std::uint64_t nodes = 0;     // that were left out
  std::uint64_t cut_deps = 0;  // dependencies of kept nodes on those
};

// Keeps the nodes that all options ask for, and drops their dependencies on others. Ranks without any are left out.
// Throws Error(usage) if no node is left, if the node of `around` does not exist, or if its rank is needed.
ExcerptCounts take_excerpt(std::vector<Trace>& traces, const ExcerptOptions& options);

}  // namespace convert
