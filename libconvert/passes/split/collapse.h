// SPDX-License-Identifier: MIT
// Replaces the nodes of merged collectives by the original collectives: the inverse of et-merge.
#pragma once

#include <cstdint>

#include "core/trace.h"
#include "graph/kept_nodes.h"
#include "passes/merged_collectives.h"

namespace convert {

struct CollapseCounts {
  std::uint64_t collectives = 0;
  std::uint64_t nodes = 0;  // replaced
};

// Replaces the merged nodes of a rank, batch by batch. Other nodes are unchanged, except for dependencies on merged
// nodes. A collective is placed before the first unchanged node with a higher id. The constructor and functions
// throw Error(input) [collapse] with the node if a merged collective is incomplete or was edited: nodes missing or
// added, a dependency on only some of its last nodes, or a dependency that only some of its first nodes have.
class Collapse {
 public:
  // Returns the parts of all nodes that the constructor requires.
  [[nodiscard]] static const NodeParts& parts();
  // `rank` holds all nodes; parts() are enough. It must outlive this object.
  explicit Collapse(const Trace& rank);

  [[nodiscard]] const CollapseCounts& counts() const { return counts_; }
  // Returns whether there is a merged collective; if not, nodes stay unchanged.
  [[nodiscard]] bool any() const { return counts_.collectives != 0; }
  // Throws the errors that fold() would throw for all nodes. Call before the first fold().
  void prove();
  // Appends the result for the next nodes of the rank to `out`.
  void fold(const NodeTable& batch, NodeTable& out);
  // Appends the collectives after the last node.
  void finish(NodeTable& out);
  // Removes the metadata of merged collectives.
  static void clean(Metadata& metadata);

 private:
  void fold_node(const NodeTable& batch, const Node& node, NodeTable& out);
  void add_collective(std::uint32_t number, NodeTable& out) const;
  void add_deps(std::uint32_t index, const NodeTable& table, const Node& node, std::uint32_t own,
                NodeTable& out) const;

  const NodeTable& nodes_;
  MergedCollectives merged_;
  CollapseCounts counts_;
  std::uint32_t done_ = 0;  // number of nodes
  std::uint32_t next_ = 0;  // next collective
};

// Replaces trace.nodes by the result of folding them.
[[nodiscard]] CollapseCounts collapse_collectives(Trace& trace);

}  // namespace convert
