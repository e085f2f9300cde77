// SPDX-License-Identifier: MIT
// What a trace's dependencies mean: a compressed-row view by dense index (position in nodes), both ways.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/id_lookup.h"
#include "core/trace.h"

namespace convert {

enum class DepKind : std::uint8_t { data, control };

struct Edge {
  std::uint32_t node;  // index of the other end
  DepKind kind;
};

class Graph {
 public:
  [[nodiscard]] std::size_t size() const { return parent_begin_.empty() ? 0 : parent_begin_.size() - 1; }
  [[nodiscard]] std::size_t edges() const { return parents_.size(); }
  // Data dependencies first, then control, each in the order of the file; duplicates and dangling ones left out.
  [[nodiscard]] std::span<const Edge> parents(std::uint32_t i) const { return row(parents_, parent_begin_, i); }
  // In ascending order of the child's index.
  [[nodiscard]] std::span<const Edge> children(std::uint32_t i) const { return row(children_, child_begin_, i); }

 private:
  friend Graph build_graph(const NodeTable& table, std::vector<struct GraphDefect>* defects);
  static std::span<const Edge> row(const std::vector<Edge>& edges, const std::vector<std::uint32_t>& begin,
                                   std::uint32_t i) {
    return {edges.data() + begin[i], begin[i + 1] - begin[i]};
  }
  std::vector<Edge> parents_;
  std::vector<Edge> children_;
  std::vector<std::uint32_t> parent_begin_;  // size() + 1
  std::vector<std::uint32_t> child_begin_;
};

// What stands in the way of a clean graph. Such edges are left out of the Graph.
struct GraphDefect {
  enum class What : std::uint8_t {
    duplicate_id,    // node `index` has the id of an earlier node; dependencies on that id mean the earlier one
    dangling,        // `index` depends on `id`, which does not exist
    self,            // `index` depends on itself
    duplicate_edge,  // `index` names `id` twice (also: once as data, once as control dependency)
  };
  What what;
  std::uint32_t index;
  NodeId id;
  DepKind kind;
};

// Linear in nodes + edges. `defects` may be null.
[[nodiscard]] Graph build_graph(const NodeTable& table, std::vector<GraphDefect>* defects = nullptr);

// id → index. Ids that are dense from 0 need no table.
class IdIndex {
 public:
  explicit IdIndex(const NodeTable& table);
  static constexpr std::uint32_t none = 0xffffffff;
  [[nodiscard]] std::uint32_t find(NodeId id) const;  // index of the first node with that id, or none

 private:
  bool dense_ = false;  // each id is its index
  std::size_t size_ = 0;
  IdLookup lookup_;
};

}  // namespace convert
