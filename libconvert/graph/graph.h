// SPDX-License-Identifier: MIT
// Dependency graph of a trace: the parents and children of each node, by index in NodeTable::nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/id_lookup.h"
#include "core/trace.h"

namespace convert {

enum class DepKind : std::uint8_t { data, control };

struct Edge {
  std::uint32_t node;  // node at the other end
  DepKind kind;
};

class Graph {
 public:
  [[nodiscard]] std::size_t size() const { return parent_begin_.empty() ? 0 : parent_begin_.size() - 1; }
  [[nodiscard]] std::size_t edges() const { return parents_.size(); }
  // Returns the data dependencies, then the control dependencies, each in file order. Defects (GraphDefect) are
  // omitted.
  [[nodiscard]] std::span<const Edge> parents(std::uint32_t i) const { return row(parents_, parent_begin_, i); }
  // Returns the children in ascending order.
  [[nodiscard]] std::span<const Edge> children(std::uint32_t i) const { return row(children_, child_begin_, i); }

 private:
  friend Graph build_graph(const NodeTable& table, std::vector<struct GraphDefect>* defects,
                           bool (*skips)(const NodeTable&, const Node&, const Node&));
  static std::span<const Edge> row(const std::vector<Edge>& edges, const std::vector<std::uint32_t>& begin,
                                   std::uint32_t i) {
    return {edges.data() + begin[i], begin[i + 1] - begin[i]};
  }
  std::vector<Edge> parents_;
  std::vector<Edge> children_;
  std::vector<std::uint32_t> parent_begin_;  // size() + 1
  std::vector<std::uint32_t> child_begin_;
};

// A defective node or dependency. Defective dependencies are not in the graph.
struct GraphDefect {
  enum class What : std::uint8_t {
    duplicate_id,    // node `index` has the id of an earlier node; dependencies on the id refer to the earlier node
    dangling,        // `index` depends on `id`, which does not exist
    self,            // `index` depends on itself
    duplicate_edge,  // `index` names `id` twice, possibly once as data and once as control dependency
  };
  What what;
  std::uint32_t index;
  NodeId id;
  DepKind kind;
};

// Returns whether to ignore a control dependency of `node` on `parent`.
using SkipControl = bool (*)(const NodeTable& table, const Node& node, const Node& parent);

// Builds the graph in time linear in nodes and edges. Appends the omitted dependencies to `defects` (if given),
// except the control dependencies for which `skips` (if given) returns true.
[[nodiscard]] Graph build_graph(const NodeTable& table, std::vector<GraphDefect>* defects = nullptr,
                                SkipControl skips = nullptr);

// Index of nodes by id. Uses no lookup table if each id equals its index.
class IdIndex {
 public:
  IdIndex() = default;
  explicit IdIndex(const NodeTable& table)
      : IdIndex(table.nodes.size(), [&](std::size_t i) { return table.nodes[i].id; }) {}
  // `size`: number of nodes; id(index): id of a node.
  template <class Id>
  IdIndex(std::size_t size, const Id& id) : dense_(true), size_(size) {
    for (std::size_t i = 0; i < size_ && dense_; ++i) dense_ = id(i) == i;
    if (!dense_) lookup_ = IdLookup(size_, [&](std::size_t i) { return std::optional(id(i)); });
  }
  static constexpr std::uint32_t none = 0xffffffff;
  [[nodiscard]] std::uint32_t find(NodeId id) const;  // index of the first node with the id, or none

 private:
  bool dense_ = false;  // each id equals its index
  std::size_t size_ = 0;
  IdLookup lookup_;
};

}  // namespace convert
