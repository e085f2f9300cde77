// SPDX-License-Identifier: MIT
#include "graph/graph.h"

#include <algorithm>

namespace convert {
namespace {

// Detects duplicate parents of the current node. Compares the dependencies pairwise if they are few; uses a table
// of stamps only if they are many.
class SeenParents {
 public:
  explicit SeenParents(std::size_t nodes) : nodes_(nodes) {}

  void begin_node(std::uint32_t index, std::size_t deps) {
    stamp_ = index + 1;
    few_ = deps <= 16;
    if (!few_ && stamps_.empty()) stamps_.resize(nodes_);
  }
  // `taken`: parents of this node found so far.
  bool test_and_set(std::uint32_t parent, std::span<const Edge> taken) {
    if (few_) return std::any_of(taken.begin(), taken.end(), [&](const Edge& e) { return e.node == parent; });
    if (stamps_[parent] == stamp_) return true;
    stamps_[parent] = stamp_;
    return false;
  }

 private:
  std::size_t nodes_;
  std::uint32_t stamp_ = 0;
  bool few_ = true;
  std::vector<std::uint32_t> stamps_;
};

}  // namespace

std::uint32_t IdIndex::find(NodeId id) const {
  if (dense_) return id < size_ ? static_cast<std::uint32_t>(id) : none;
  return lookup_.find(id);
}

Graph build_graph(const NodeTable& table, std::vector<GraphDefect>* defects, SkipControl skips) {
  using What = GraphDefect::What;
  const std::size_t n = table.nodes.size();
  const IdIndex ids(table);
  Graph g;
  g.parent_begin_.resize(n + 1);
  g.child_begin_.resize(n + 1);
  g.parents_.reserve(table.deps.size());
  SeenParents seen(n);
  const auto report = [&](What what, std::uint32_t index, NodeId id, DepKind kind) {
    if (defects != nullptr) defects->push_back({what, index, id, kind});
  };

  for (std::uint32_t i = 0; i < n; ++i) {
    const Node& node = table.nodes[i];
    const std::size_t first = g.parents_.size();
    g.parent_begin_[i] = static_cast<std::uint32_t>(first);
    if (ids.find(node.id) != i) report(What::duplicate_id, i, node.id, DepKind::data);
    seen.begin_node(i, std::size_t{node.data_deps.count} + node.ctrl_deps.count);
    const auto add = [&](NodeId id, DepKind kind) {
      const std::uint32_t parent = ids.find(id);
      if (id == node.id) {
        report(What::self, i, id, kind);
      } else if (parent == IdIndex::none) {
        report(What::dangling, i, id, kind);
      } else if (seen.test_and_set(parent, std::span(g.parents_).subspan(first))) {
        report(What::duplicate_edge, i, id, kind);
      } else if (skips == nullptr || kind == DepKind::data || !skips(table, node, table.nodes[parent])) {
        g.parents_.push_back({parent, kind});
        ++g.child_begin_[parent + 1];
      }
    };
    for (const NodeId id : table.data_deps(node)) add(id, DepKind::data);
    for (const NodeId id : table.ctrl_deps(node)) add(id, DepKind::control);
  }
  g.parent_begin_[n] = static_cast<std::uint32_t>(g.parents_.size());

  // Counting sort by parent. Children are in ascending order because nodes are visited in that order.
  // child_begin_[p + 1] moves from the start of row p to its end, which is its final value.
  std::uint32_t sum = 0;
  for (std::size_t i = 1; i <= n; ++i) {
    const std::uint32_t count = g.child_begin_[i];
    g.child_begin_[i] = sum;
    sum += count;
  }
  g.children_.resize(g.parents_.size());
  for (std::uint32_t i = 0; i < n; ++i) {
    for (const Edge& e : g.parents(i)) g.children_[g.child_begin_[e.node + 1]++] = {i, e.kind};
  }
  return g;
}

}  // namespace convert
