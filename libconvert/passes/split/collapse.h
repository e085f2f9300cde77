// SPDX-License-Identifier: MIT
// Folds the nodes of merged collectives back into the collectives that they came from: undoes et-merge.
#pragma once

#include <cstdint>

#include "core/trace.h"
#include "graph/kept_nodes.h"
#include "passes/merged_collectives.h"

namespace convert {

struct CollapseCounts {
  std::uint64_t collectives = 0;
  std::uint64_t nodes = 0;  // folded
};

// Folds the nodes of a rank, batch by batch. Other nodes stay, but for dependencies on what is folded; a collective
// stands before the first of them with a higher id. Constructor and functions throw Error(input) [collapse] with
// the node, if a merged collective is not whole or was edited: nodes missing or added, a dependency on a part of
// it, one that only a part of it has.
class Collapse {
 public:
  // Returns what is needed of all nodes, to fold each later.
  [[nodiscard]] static const NodeParts& parts();
  // `rank` has all nodes, of which parts() are enough; it must outlive this.
  explicit Collapse(const Trace& rank);

  [[nodiscard]] const CollapseCounts& counts() const { return counts_; }
  // Returns whether there is anything to fold; if not, nodes stay as they are.
  [[nodiscard]] bool any() const { return counts_.collectives != 0; }
  // Throws what folding all nodes will throw; to be called before the first is folded.
  void prove();
  // Adds what becomes of the next nodes of the rank to `out`.
  void fold(const NodeTable& batch, NodeTable& out);
  // Adds the collectives behind the last node.
  void finish(NodeTable& out);
  // Takes out of the metadata what tells of merged collectives.
  static void clean(Metadata& metadata);

 private:
  void fold_node(const NodeTable& batch, const Node& node, NodeTable& out);
  void add_collective(std::uint32_t number, NodeTable& out) const;
  void add_deps(std::uint32_t index, const NodeTable& table, const Node& node, std::uint32_t own,
                NodeTable& out) const;

  const NodeTable& nodes_;
  MergedCollectives merged_;
  CollapseCounts counts_;
  std::uint32_t done_ = 0;  // nodes
  std::uint32_t next_ = 0;  // collective
};

// Replaces trace.nodes by what they fold to.
[[nodiscard]] CollapseCounts collapse_collectives(Trace& trace);

}  // namespace convert
