// SPDX-License-Identifier: MIT
// Finds dependencies on the node of a PyTorch process, which Chakra's converter omits from its traces.
#pragma once

#include <algorithm>
#include <optional>

#include "core/trace.h"
#include "graph/graph.h"

namespace convert {

// Recognises defects of a graph that are such dependencies: control dependencies of a trace with PyTorch's schema
// on a node before all others. `trace` must outlive this object.
class LeftOutProcess {
 public:
  explicit LeftOutProcess(const Trace& trace) : trace_(trace) {}

  [[nodiscard]] bool explains(const GraphDefect& d) {
    if (d.what != GraphDefect::What::dangling || d.kind != DepKind::control) return false;
    if (!first_) {
      const auto& nodes = trace_.nodes.nodes;
      const bool of_pytorch = find(trace_.metadata.table.attrs, attr::schema) != nullptr;
      first_ = of_pytorch && !nodes.empty() ? std::ranges::min_element(nodes, {}, &Node::id)->id : 0;
    }
    return d.id < *first_;
  }

 private:
  const Trace& trace_;
  std::optional<NodeId> first_;  // 0: no such dependency
};

}  // namespace convert
