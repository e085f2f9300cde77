// SPDX-License-Identifier: MIT
// Finds the nodes by which et-merge replaced collectives, and restores the collectives.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "graph/graph.h"

namespace convert {

// Nodes that replaced one collective.
struct MergedCollective {
  NodeId id = 0;                     // of the collective
  std::vector<std::uint32_t> nodes;  // ascending by id
  std::uint32_t first = no_index;    // the node that describes the collective
  std::uint32_t root = no_index;     // the first node without dependencies inside the collective
  std::vector<NodeId> sinks;         // nodes without dependents inside the collective; ascending
};

// Finds, checks and restores merged collectives of `trace`, which must outlive it. Throws Error(input) [`rule`].
class MergedCollectives {
 public:
  // Finds the nodes without checking them. Throws if the id of a merged collective cannot be determined.
  MergedCollectives(const Trace& trace, std::string rule);

  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] std::span<const MergedCollective> all() const { return all_; }  // ascending by id
  // Returns the number of the collective that a node (by index) belongs to, or no_index.
  [[nodiscard]] std::uint32_t of(std::uint32_t node) const { return of_[node]; }
  [[nodiscard]] std::uint32_t of_id(NodeId id) const {
    const std::uint32_t i = ids_.find(id);
    return i == IdIndex::none ? no_index : of_[i];
  }
  [[nodiscard]] const IdIndex& ids() const { return ids_; }

  // Finds the first and last nodes of a collective. Throws if nodes are missing or foreign, if its first nodes lack
  // dependencies of the collective, or if other nodes depend on nodes outside.
  void check(std::uint32_t number);

  // Calls add(id) for each dependency of a node of collective `own` (or no_index) on nodes outside it. The last
  // nodes of another collective, listed in a row, make one call with its id. Throws if some are missing or out of
  // order.
  template <class Add>
  void fold(std::uint32_t node, std::span<const NodeId> deps, std::uint32_t own, const Add& add) const;

  // Adds the collective's node to a table, without dependencies.
  void restore(std::uint32_t number, NodeTable& out) const;

  // Returns "merged collective 7 (ALL_REDUCE)".
  [[nodiscard]] std::string describe(std::uint32_t number) const { return describe(all_[number]); }
  [[nodiscard]] Error error(std::uint32_t i, const std::string& what) const;

 private:
  void check_nodes(MergedCollective& c) const;
  void find_ends(MergedCollective& c) const;
  void check_deps(const MergedCollective& c) const;
  [[noreturn]] void refuse(std::uint32_t node, NodeId on, std::uint32_t of, NodeId sink) const;
  [[nodiscard]] std::string describe(const MergedCollective& c) const;
  [[nodiscard]] bool waits_inside(std::uint32_t i) const;
  [[nodiscard]] std::vector<NodeId> outside(std::span<const NodeId> deps, std::uint32_t own) const;
  [[nodiscard]] const Node& node(std::uint32_t i) const { return table_.nodes[i]; }

  const Trace& trace_;
  const NodeTable& table_;
  std::string rule_;
  IdIndex ids_;
  std::vector<std::uint32_t> of_;  // by node: index into all_, or no_index
  std::vector<MergedCollective> all_;
};

template <class Add>
void MergedCollectives::fold(std::uint32_t node, std::span<const NodeId> deps, std::uint32_t own,
                             const Add& add) const {
  for (std::size_t k = 0; k < deps.size();) {
    const std::uint32_t at = of_id(deps[k]);
    if (at == no_index || at == own) {
      if (at == no_index) add(deps[k]);
      ++k;
      continue;
    }
    const MergedCollective& c = all_[at];
    for (std::size_t s = 0; s < c.sinks.size(); ++s) {
      if (k + s >= deps.size() || deps[k + s] != c.sinks[s]) refuse(node, deps[k], at, c.sinks[s]);
    }
    add(c.id);
    k += c.sinks.size();
  }
}

}  // namespace convert
