// SPDX-License-Identifier: MIT
// Feeder of one rank's nodes to a simulator: offers the nodes whose dependencies have completed, in issue order.
//
//   Feeder feeder(trace.nodes, build_graph(trace.nodes));
//   auto start = [&](std::uint32_t node) { …; return true; };       // false: its resource is busy, offer it again
//   feeder.issue(start);                                            // at time 0
//   …when a node ends:  feeder.complete(node);  feeder.issue(start);
//
// Nodes are numbered 0…size()-1 by ascending id, which is the order in which free nodes are offered. index_of()
// returns the index in NodeTable::nodes. Time is linear in nodes and edges, except for three sorts with a
// logarithmic factor: nodes that are not in the order of their ids, the free nodes of a round, and refused nodes.
// There is no allocation per node after construction. Copies share the graph and are otherwise independent: a rank
// with the same trace costs 4 bytes per node.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/trace.h"
#include "graph/graph.h"
#include "util/huge_pages.h"
#include "util/rank_arrays.h"

namespace convert {

class Feeder {
 public:
  static constexpr std::uint8_t max_lanes = 8;

  Feeder() = default;
  // `table` and `graph` are not needed after construction. `lanes` gives, by index in the table, the lane
  // (contended resource) of each node, below max_lanes; empty: all nodes use lane 0. Once a node is refused, the
  // other nodes of its lane are not offered in that round. Dependencies absent from the graph (dangling or on the
  // node itself) are ignored. Throws Error for 2^31 - 1 or more nodes, or 2^31 or more dependencies.
  Feeder(const NodeTable& table, const Graph& graph, std::span<const std::uint8_t> lanes = {});
  Feeder(const Feeder& other);
  Feeder& operator=(const Feeder& other);
  Feeder(Feeder&&) noexcept = default;
  Feeder& operator=(Feeder&&) noexcept = default;
  ~Feeder() = default;
  // Creates a feeder with the graph of `other`, in its start state. It counts in `waits_for`, memory of the caller
  // for size() nodes, to which nothing else may write.
  Feeder(const Feeder& other, LineArray<std::uint32_t> waits_for);

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t index_of(std::uint32_t node) const {
    return shape_->order.empty() ? node : shape_->order[node];
  }
  // Returns the children of `node`, ascending; valid as long as this feeder or a copy exists.
  [[nodiscard]] std::span<const std::uint32_t> children(std::uint32_t node) const;
  // Returns the number of parents that have not completed.
  [[nodiscard]] std::uint32_t waits_for(std::uint32_t node) const { return waits_for_[node]; }

  // Offers the free nodes that are not taken, in ascending order. try_issue(std::uint32_t node) returns whether it
  // takes the node. Nodes that become free meanwhile wait for the next round. try_issue may call complete(), but
  // not issue().
  template <typename TryIssue>
  void issue(TryIssue&& try_issue);

  // Takes all free nodes; requires that no node was ever refused. arrange(std::span<std::uint32_t>) may reorder
  // the nodes, given in the order in which they became free. Then issue(std::uint32_t node) is called for each.
  template <typename Arrange, typename Issue>
  void issue_all(Arrange&& arrange, Issue&& issue);

  // Completes a taken node: each child waits for one parent less and may become free.
  void complete(std::uint32_t node) {
    ++completed_;
    const Children& c = children_[node];
    if (c.is_list()) {
      for (const std::uint32_t child : list(c)) parent_completed(child);
      return;
    }
    if (c.nodes[0] != Children::none) parent_completed(c.nodes[0]);
    if (c.nodes[1] != Children::none) parent_completed(c.nodes[1]);
  }
  // Completes a taken node without children.
  void complete_leaf() { ++completed_; }
  // Completes a taken node whose only child is `child`; if `pair`, its children are `child` and `child` + 1.
  void complete_before(std::uint32_t child, bool pair = false) {
    ++completed_;
    parent_completed(child);
    if (pair) parent_completed(child + 1);
  }

  // Prefetch the memory of a node that the completion of its parents touches, and the memory that complete(node)
  // reads.
  [[gnu::always_inline]] void prefetch(std::uint32_t node) const { waits_for_.prefetch(node); }
  [[gnu::always_inline]] void prefetch_children(std::uint32_t node) const { __builtin_prefetch(children_ + node); }

  [[nodiscard]] bool done() const { return completed_ == size(); }
  [[nodiscard]] std::uint32_t completed() const { return completed_; }
  [[nodiscard]] std::uint32_t in_flight() const { return taken_ - completed_; }
  // Returns the number of nodes that the next round will offer.
  [[nodiscard]] std::uint32_t free_nodes() const { return static_cast<std::uint32_t>(fresh_.size()) + blocked_; }
  // Returns the number of free nodes that were not offered yet.
  [[nodiscard]] std::uint32_t fresh_nodes() const { return static_cast<std::uint32_t>(fresh_.size()); }
  // Returns the nodes that the next round will offer, ascending.
  [[nodiscard]] std::vector<std::uint32_t> free_list() const;

  // Returns whether both have the same edges, lanes and table indices.
  [[nodiscard]] bool same_graph(const Feeder& other) const {
    return shape_ == other.shape_ || *shape_ == *other.shape_;
  }

  // Returns to the start state: no node is taken.
  void reset();

 private:
  // The children of a node: up to two nodes padded with `none`; or the start of a longer list in Shape::lists, and
  // its length | list_bit.
  struct Children {
    static constexpr std::uint32_t none = UINT32_MAX >> 1U;
    static constexpr std::uint32_t list_bit = none + 1;
    [[nodiscard]] bool is_list() const { return (nodes[1] & list_bit) != 0; }
    friend bool operator==(const Children&, const Children&) = default;

    std::array<std::uint32_t, 2> nodes = {none, none};
  };
  // State shared by copies.
  struct Shape {
    HugeVector<std::uint32_t> waits_for;     // by node, in the start state
    HugeVector<Children> children;           // by node
    GrowingHugeVector<std::uint32_t> lists;  // of children
    std::vector<std::uint8_t> lanes;         // by node; empty: all 0
    std::vector<std::uint32_t> order;        // node → index in the table; empty: the same
    friend bool operator==(const Shape&, const Shape&) = default;
  };
  using Heap = std::vector<std::uint32_t>;  // lowest node first

  [[nodiscard]] std::uint8_t lane_of(std::uint32_t node) const {
    return lanes_ == nullptr ? std::uint8_t{0} : lanes_[node];
  }
  [[nodiscard]] std::span<const std::uint32_t> list(Children c) const {
    return {lists_ + c.nodes[0], c.nodes[1] - Children::list_bit};
  }
  void parent_completed(std::uint32_t child) {
    if (--waits_for_[child] == 0) fresh_.push_back(child);
  }
  void block(std::uint32_t node, std::uint8_t lane);
  void unblock(std::uint8_t lane);
  template <typename TryIssue>
  void issue_with_blocked(TryIssue&& try_issue, std::size_t next, std::size_t end, std::uint32_t closed);

  // Members that every completion touches come first.
  LineArray<std::uint32_t> waits_for_;  // by node: number of parents that have not completed
  std::uint32_t size_ = 0;
  std::uint32_t taken_ = 0;
  std::uint32_t completed_ = 0;
  std::uint32_t blocked_ = 0;         // nodes in heaps_
  std::vector<std::uint32_t> fresh_;  // nodes that became free and were not offered yet
  const Children* children_ = nullptr;
  const std::uint32_t* lists_ = nullptr;
  std::vector<Heap> heaps_;  // by lane: nodes that were offered and refused
  const std::uint8_t* lanes_ = nullptr;
  std::shared_ptr<const Shape> shape_;
  HugeVector<std::uint32_t> own_;  // memory of waits_for_; empty if the caller provides it
};

template <typename TryIssue>
void Feeder::issue(TryIssue&& try_issue) {
  const std::size_t end = fresh_.size();  // nodes appended during the round are for the next one
  if (end == 1 && blocked_ == 0) {        // the most frequent case
    const std::uint32_t node = fresh_.front();
    fresh_.clear();
    ++taken_;
    if (try_issue(node)) return;
    --taken_;
    return block(node, lane_of(node));
  }
  const auto first = fresh_.begin();
  if (end > 1 && !std::is_sorted(first, fresh_.end())) std::sort(first, fresh_.end());
  std::size_t next = 0;
  std::uint32_t closed = 0;
  if (blocked_ == 0) {  // the common case: no refused nodes, so no merge
    while (next < end && closed == 0) {
      const std::uint32_t node = fresh_[next++];
      ++taken_;
      if (try_issue(node)) continue;
      --taken_;
      closed = 1U << lane_of(node);
      block(node, lane_of(node));
    }
  }
  if (blocked_ != 0) issue_with_blocked(try_issue, next, end, closed);
  if (end == fresh_.size()) return fresh_.clear();
  fresh_.erase(fresh_.begin(), fresh_.begin() + static_cast<std::ptrdiff_t>(end));
}

template <typename Arrange, typename Issue>
void Feeder::issue_all(Arrange&& arrange, Issue&& issue) {
  const std::size_t end = fresh_.size();
  if (end == 0) return;
  arrange(std::span(fresh_));
  taken_ += static_cast<std::uint32_t>(end);
  for (std::size_t i = 0; i < end; ++i) issue(fresh_[i]);
  if (end == fresh_.size()) return fresh_.clear();
  fresh_.erase(fresh_.begin(), fresh_.begin() + static_cast<std::ptrdiff_t>(end));
}

// Merges fresh_[next, end) with the lowest blocked node of each lane that is not closed yet.
template <typename TryIssue>
void Feeder::issue_with_blocked(TryIssue&& try_issue, std::size_t next, std::size_t end, std::uint32_t closed) {
  constexpr std::uint8_t fresh = max_lanes;
  for (;;) {
    std::uint8_t source = fresh;
    std::uint32_t node = next < end ? fresh_[next] : UINT32_MAX;
    for (std::size_t lane = 0; lane < heaps_.size(); ++lane) {
      if ((closed >> lane & 1U) != 0 || heaps_[lane].empty() || heaps_[lane].front() >= node) continue;
      node = heaps_[lane].front();
      source = static_cast<std::uint8_t>(lane);
    }
    if (node == UINT32_MAX) return;
    const std::uint8_t lane = lane_of(node);
    if (source == fresh) ++next;
    ++taken_;
    if ((closed >> lane & 1U) == 0 && try_issue(node)) {
      if (source != fresh) unblock(source);
      continue;
    }
    --taken_;
    closed |= 1U << lane;
    if (source == fresh) block(node, lane);
  }
}

}  // namespace convert
