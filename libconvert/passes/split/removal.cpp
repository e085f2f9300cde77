// SPDX-License-Identifier: MIT
#include "passes/split/removal.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_set>

#include "core/diagnostic.h"
#include "graph/algorithms.h"
#include "graph/graph.h"

namespace convert {
namespace {

// Removes nodes from a table; their children then depend on their parents.
class NodeRemoval {
 public:
  NodeRemoval(Trace& trace, const std::vector<bool>& goes, std::string_view what)
      : trace_(trace), goes_(goes), what_(what), ids_(trace.nodes), parents_(goes.size()) {}

  void run() {
    const Graph graph = build_graph(trace_.nodes);
    const std::vector<std::uint32_t> order = topological_order(graph);
    if (order.size() != graph.size())
      throw input_error({.file = trace_.name, .rank = static_cast<std::int64_t>(trace_.rank)},
                        "dependency cycle, so no node can be removed; run et-validate to find it", "split");
    for (const std::uint32_t i : order) {
      if (!goes_[i]) continue;
      Node& n = trace_.nodes.nodes[i];
      std::vector<NodeId> both = resolved(trace_.nodes.data_deps(n));
      const std::vector<NodeId> ctrl = resolved(trace_.nodes.ctrl_deps(n));
      both.insert(both.end(), ctrl.begin(), ctrl.end());
      parents_[i] = resolved(both);
    }
    for (std::size_t i = 0; i < goes_.size(); ++i) {
      if (goes_[i]) continue;
      if (rewire(trace_.nodes.nodes[i].data_deps)) forget_rules(trace_.nodes.nodes[i]);
      (void)rewire(trace_.nodes.nodes[i].ctrl_deps);
    }
    remove();
  }

 private:
  [[nodiscard]] bool goes(NodeId id) const {
    const std::uint32_t i = ids_.find(id);
    return i != IdIndex::none && goes_[i];
  }

  // Returns each id once, with removed nodes replaced by their parents.
  [[nodiscard]] std::vector<NodeId> resolved(std::span<const NodeId> deps) {
    std::vector<NodeId> out;
    std::unordered_set<NodeId> seen;
    const auto add = [&](NodeId id) {
      if (seen.insert(id).second) out.push_back(id);
    };
    for (const NodeId id : deps) {
      if (!goes(id)) {
        add(id);
        continue;
      }
      for (const NodeId parent : parents_[ids_.find(id)]) add(parent);
    }
    // If many nodes depended on many others through one removed node, each now depends on each.
    made_ += out.size();
    if (made_ > most()) {
      throw input_error(
          {.file = trace_.name, .rank = static_cast<std::int64_t>(trace_.rank)},
          "removing " + std::string(what_) + " would create more than " + std::to_string(most()) + " dependencies",
          "split");
    }
    return out;
  }
  [[nodiscard]] std::size_t most() const {
    constexpr std::size_t least = std::size_t{1} << 20;
    constexpr std::size_t factor = 16;
    return least + factor * (goes_.size() + given_);
  }

  // Empties dep_rules, as its letters would be applied to the new dependencies if there are equally many.
  void forget_rules(const Node& n) {
    for (std::uint32_t a = n.attrs.begin; a < n.attrs.begin + n.attrs.count; ++a) {
      Attr& one = trace_.nodes.attrs[a];
      if (one.name == attr::dep_rules && one.kind == Kind::string_val) one.size = 0;
    }
  }

  // Returns whether something has changed.
  bool rewire(Range& deps) {
    NodeTable& table = trace_.nodes;
    const std::span<const NodeId> old(table.deps.data() + deps.begin, deps.count);
    if (std::ranges::none_of(old, [&](NodeId id) { return goes(id); })) return false;
    const std::vector<NodeId> now = resolved(old);
    deps = {static_cast<std::uint32_t>(table.deps.size()), static_cast<std::uint32_t>(now.size())};
    table.deps.insert(table.deps.end(), now.begin(), now.end());
    return true;
  }

  void remove() {
    std::vector<Node>& nodes = trace_.nodes.nodes;
    std::vector<std::uint64_t>& positions = trace_.nodes.positions;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < goes_.size(); ++i) {
      if (goes_[i]) continue;
      if (!positions.empty()) positions[kept] = positions[i];
      nodes[kept++] = nodes[i];
    }
    nodes.resize(kept);
    if (!positions.empty()) positions.resize(kept);
  }

  Trace& trace_;
  const std::vector<bool>& goes_;
  std::string_view what_;
  IdIndex ids_;
  std::vector<std::vector<NodeId>> parents_;  // of removed nodes: the dependencies that replace them
  std::size_t given_ = trace_.nodes.deps.size();
  std::size_t made_ = 0;
};

}  // namespace

void remove_nodes(Trace& trace, const std::vector<bool>& goes, std::string_view what) {
  NodeRemoval(trace, goes, what).run();
}

}  // namespace convert
