// SPDX-License-Identifier: MIT
#include "synthesis/exact/branchings.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "core/rows.h"
#include "synthesis/max_flow.h"
#include "util/draw.h"

namespace convert {
namespace {

class BranchingPacker {
 public:
  BranchingPacker(std::uint32_t nodes, std::span<const BranchingEdge> edges, std::span<const std::uint32_t> roots,
                  std::int64_t trees, const BranchingChoice& choice)
      : nodes_(nodes),
        edges_(edges),
        choice_(choice),
        most_(static_cast<std::uint32_t>(roots.size()) * static_cast<std::uint32_t>(trees)),
        out_(rows_by_key(edges.size(), nodes, [&](std::size_t i) { return edges[i].from; })),
        flow_(nodes + most_ + 1, arcs_of()) {
    for (std::uint32_t e = 0; e < edges.size(); ++e) {
      left_.push_back(edges[e].capacity);
      flow_.set_capacity(e, left_.back());
    }
    growing_.reserve(most_);
    for (const std::uint32_t root : roots) {
      growing_.push_back({.tree = {.root = root, .count = trees, .edges = {}}, .depth = {}, .size = 1});
      growing_.back().depth.assign(nodes, outside);
      growing_.back().depth[root] = 0;
      begin(static_cast<std::uint32_t>(growing_.size() - 1));
    }
    pending_ = static_cast<std::int64_t>(roots.size()) * trees;
  }

  std::optional<std::vector<Branching>> run() {
    bool grown = true;
    while (pending_ != 0) {
      if (open_.empty()) {
        // Edges that were rejected before may be possible now.
        if (!grown) return std::nullopt;
        grown = false;
        for (std::uint32_t t = 0; t < growing_.size(); ++t) offer_all(t);
      }
      const Candidate c = open_.top();
      open_.pop();
      grown = take(c) || grown;
    }
    std::vector<Branching> out;
    for (Growing& g : growing_) out.push_back(std::move(g.tree));
    return out;
  }

 private:
  struct Growing {
    Branching tree;
    std::vector<std::int64_t> depth;  // by node; outside: not in the tree
    std::uint32_t size = 0;           // number of nodes
  };
  struct Candidate {
    std::uint32_t turn = 0;
    std::int64_t depth = 0;
    std::uint32_t size = 0;
    std::uint64_t turned = 0;  // so that roots do not all begin with the same node
    std::uint32_t tree = 0;
    std::uint32_t edge = 0;
    friend bool operator>(const Candidate& a, const Candidate& b) {
      return std::tie(a.turn, a.depth, a.size, a.turned, a.tree, a.edge) >
             std::tie(b.turn, b.depth, b.size, b.turned, b.tree, b.edge);
    }
  };

  // Flows are searched against the edges. Arcs are: the edges; one from each node to the end; one from each kind of
  // tree to the end; one from each node to each kind of tree that contains it.
  [[nodiscard]] std::vector<MaxFlow::Arc> arcs_of() const {
    std::vector<MaxFlow::Arc> arcs;
    for (const BranchingEdge& e : edges_) arcs.push_back({e.to, e.from});
    for (std::uint32_t n = 0; n < nodes_ + most_; ++n) arcs.push_back({n, nodes_ + most_});
    for (std::uint32_t t = 0; t < most_; ++t) {
      for (std::uint32_t n = 0; n < nodes_; ++n) arcs.push_back({n, nodes_ + t});
    }
    return arcs;
  }
  [[nodiscard]] std::uint32_t node_end(std::uint32_t node) const {
    return static_cast<std::uint32_t>(edges_.size()) + node;
  }
  [[nodiscard]] std::uint32_t tree_end(std::uint32_t tree) const { return node_end(nodes_ + tree); }
  [[nodiscard]] std::uint32_t membership(std::uint32_t tree, std::uint32_t node) const {
    return node_end(nodes_ + most_ + tree * nodes_ + node);
  }

  void begin(std::uint32_t t) {
    const Growing& g = growing_[t];
    set_end(t);
    for (std::uint32_t n = 0; n < nodes_; ++n) {
      if (g.depth[n] != outside) flow_.set_capacity(membership(t, n), unlimited);
    }
    offer_all(t);
  }
  void set_end(std::uint32_t t) {
    const Growing& g = growing_[t];
    flow_.set_capacity(tree_end(t), g.size == nodes_ ? 0 : g.tree.count);
  }

  [[nodiscard]] std::uint64_t turned(std::uint32_t root, std::uint32_t node) const {
    return choice_.seed == 0 ? (node + nodes_ - root) % nodes_ : Draw(choice_.seed, root, node).below(UINT64_MAX);
  }

  void offer_all(std::uint32_t t) {
    if (growing_[t].size == nodes_) return;
    for (std::uint32_t n = 0; n < nodes_; ++n) {
      if (growing_[t].depth[n] != outside) offer(t, n);
    }
  }
  void offer(std::uint32_t t, std::uint32_t node) {
    const Growing& g = growing_[t];
    for (const std::uint32_t e : out_[node]) {
      const std::uint32_t to = edges_[e].to;
      if (g.depth[to] != outside || left_[e] == 0) continue;
      open_.push({.turn = choice_.together ? 0 : t,
                  .depth = g.depth[node] + edges_[e].length,
                  .size = g.size,
                  .turned = turned(g.tree.root, to),
                  .tree = t,
                  .edge = e});
    }
  }

  bool take(const Candidate& c) {
    const BranchingEdge& e = edges_[c.edge];
    if (growing_[c.tree].depth[e.to] != outside || left_[c.edge] == 0) return false;
    const std::int64_t count = room(c);
    if (count == 0) return false;
    if (count < growing_[c.tree].tree.count) {
      growing_.push_back(growing_[c.tree]);
      growing_.back().tree.count -= count;
      growing_[c.tree].tree.count = count;
      begin(static_cast<std::uint32_t>(growing_.size() - 1));
    }
    Growing& g = growing_[c.tree];
    g.tree.edges.push_back(c.edge);
    g.depth[e.to] = c.depth;
    if (++g.size == nodes_) pending_ -= count;
    left_[c.edge] -= count;
    flow_.set_capacity(c.edge, left_[c.edge]);
    flow_.set_capacity(membership(c.tree, e.to), unlimited);
    set_end(c.tree);
    if (g.size != nodes_) offer(c.tree, e.to);
    return true;
  }

  // Returns how many of the trees may take the edge: the flow from its start and from all other trees to its end,
  // minus the flow that these trees need themselves, including trees of the same root.
  [[nodiscard]] std::int64_t room(const Candidate& c) {
    const BranchingEdge& e = edges_[c.edge];
    const std::int64_t own = growing_[c.tree].tree.count;
    const std::int64_t others = pending_ - own;
    const std::int64_t most = std::min(own, left_[c.edge]);
    flow_.set_capacity(tree_end(c.tree), 0);
    flow_.set_capacity(node_end(e.from), unlimited);
    const std::int64_t sent = flow_.run(e.to, nodes_ + most_, others + most);
    flow_.set_capacity(node_end(e.from), 0);
    set_end(c.tree);
    return std::max<std::int64_t>(0, sent - others);
  }

  static constexpr std::int64_t outside = -1;
  static constexpr std::int64_t unlimited = std::int64_t{1} << 61U;
  const std::uint32_t nodes_;
  const std::span<const BranchingEdge> edges_;
  const BranchingChoice choice_;
  const std::uint32_t most_;  // trees
  const Rows out_;            // by node
  MaxFlow flow_;
  std::vector<std::int64_t> left_;  // by edge
  std::vector<Growing> growing_;    // kinds of trees
  std::int64_t pending_ = 0;        // trees that are not finished
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> open_;
};

}  // namespace

std::optional<std::vector<Branching>> pack_branchings(std::uint32_t nodes, std::span<const BranchingEdge> edges,
                                                      std::span<const std::uint32_t> roots, std::int64_t trees,
                                                      const BranchingChoice& choice) {
  return BranchingPacker(nodes, edges, roots, trees, choice).run();
}

}  // namespace convert
