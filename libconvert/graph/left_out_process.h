// SPDX-License-Identifier: MIT
// Detection of dependencies on the node of a PyTorch process, which Chakra's converter omits from its traces.
#pragma once

#include <algorithm>
#include <optional>

#include "core/trace.h"
#include "graph/graph.h"

namespace convert {

// Recognises such dependencies among the defects of a graph: control dependencies on an id below all node ids, in a
// trace with PyTorch's schema. `trace` must outlive this object.
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
  std::optional<NodeId> first_;  // 0: the trace has no such dependency
};

}  // namespace convert
