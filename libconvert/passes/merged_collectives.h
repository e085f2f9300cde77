// SPDX-License-Identifier: MIT
// The nodes of a rank that et-merge put in the place of its collectives, and what these were.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/trace.h"
#include "graph/graph.h"

namespace convert {

// The nodes that took the place of one collective.
struct MergedCollective {
  static constexpr std::uint32_t none = 0xffffffff;
  NodeId id = 0;                     // the collective's
  std::vector<std::uint32_t> nodes;  // ascending by id
  std::uint32_t first = none;        // the one that says what the collective was
  std::uint32_t root = none;         // the first that waits for none of them
  std::vector<NodeId> sinks;         // none of them waits for these; ascending
};

// What is wrong with them is thrown as Error(input) of the rule that is given, with the node.
class MergedCollectives {
 public:
  static constexpr std::uint32_t none = MergedCollective::none;

  // Finds the nodes; nothing is checked but that their ids can be told.
  MergedCollectives(const Trace& trace, std::string rule);

  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] std::span<const MergedCollective> all() const { return all_; }  // ascending by id
  // The number of the collective that a node, by its index, belongs to, or none.
  [[nodiscard]] std::uint32_t of(std::uint32_t node) const { return of_[node]; }
  [[nodiscard]] std::uint32_t of_id(NodeId id) const {
    const std::uint32_t i = ids_.find(id);
    return i == IdIndex::none ? none : of_[i];
  }
  [[nodiscard]] const IdIndex& ids() const { return ids_; }

  // Finds the ends of a collective. Throws unless its nodes are all there and no others, and wait for what the
  // collective waited for where they begin, and for nothing outside elsewhere.
  void check(std::uint32_t number);

  // Calls add(id) for each dependency of a node, `own` the number of its collective: of those on the last nodes of
  // a collective once, with the collective's id. Throws where these are not all of them, in order.
  template <class Add>
  void fold(std::uint32_t node, std::span<const NodeId> deps, std::uint32_t own, const Add& add) const;

  // Adds the collective to a table, without what it depends on.
  void restore(std::uint32_t number, NodeTable& out) const;

  // "merged collective 7 (ALL_REDUCE)"
  [[nodiscard]] std::string describe(std::uint32_t number) const;
  [[nodiscard]] Error error(std::uint32_t node, const std::string& what) const;

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
  std::vector<std::uint32_t> of_;  // by node: into all_, or none
  std::vector<MergedCollective> all_;
};

template <class Add>
void MergedCollectives::fold(std::uint32_t node, std::span<const NodeId> deps, std::uint32_t own,
                             const Add& add) const {
  for (std::size_t k = 0; k < deps.size();) {
    const std::uint32_t at = of_id(deps[k]);
    if (at == none || at == own) {
      if (at == none) add(deps[k]);
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
