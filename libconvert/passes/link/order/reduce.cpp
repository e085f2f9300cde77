// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "passes/link/order/order.h"

namespace convert {
namespace {

// The nodes of a CPU thread form a chain, and so do the nodes of a stream (of operations that share a kernel, the
// ones with the same index). Each node is annotated with its progress on each chain: the last node that it implies.
// Only the longest chains are considered, more than a program has; dependencies on other chains are never implied.
class Chains {
 public:
  explicit Chains(const Order& order) : chain_(order.nodes.size(), no_index), place_(order.nodes.size()) {
    std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::uint32_t> numbers;
    std::vector<std::uint32_t> length;
    std::uint32_t part = 0;
    for (std::uint32_t i = 0; i < order.nodes.size(); ++i) {
      const OrderedNode& n = order.nodes[i];
      if (n.kind == OrderedNode::Kind::join) continue;
      const bool device = n.kind == OrderedNode::Kind::device;
      const bool together =
          device && i > 0 && order.nodes[i - 1].kind == n.kind && order.nodes[i - 1].source == n.source;
      part = together ? part + 1 : 0;
      const auto chain = static_cast<std::uint32_t>(numbers.size());
      const auto [at, added] = numbers.try_emplace({device, n.thread, part}, chain);
      if (added) length.push_back(0);
      chain_[i] = at->second;
      place_[i] = ++length[at->second];
    }
    count_ = length.size();
    keep_longest(length);
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::uint32_t chain(std::uint32_t node) const { return chain_[node]; }  // or none
  [[nodiscard]] std::uint32_t place(std::uint32_t node) const { return place_[node]; }  // from 1

 private:
  void keep_longest(const std::vector<std::uint32_t>& length) {
    constexpr std::size_t most = 256;
    if (count_ <= most) return;
    std::vector<std::uint32_t> by_length(count_);
    std::iota(by_length.begin(), by_length.end(), 0U);
    std::ranges::stable_sort(by_length, std::greater<>(), [&](std::uint32_t c) { return length[c]; });
    std::vector<std::uint32_t> number(count_, no_index);
    for (std::uint32_t i = 0; i < most; ++i) number[by_length[i]] = i;
    for (std::uint32_t& c : chain_) {
      if (c != no_index) c = number[c];
    }
    count_ = most;
  }

  std::vector<std::uint32_t> chain_, place_;
  std::size_t count_ = 0;
};

// Progress of nodes, kept as long as other nodes still depend on them.
class Known {
 public:
  Known(const Order& order, std::size_t chains)
      : chains_(chains), row_(order.nodes.size(), no_index), uses_(row_.size()) {
    for (const OrderedDep& d : order.deps) ++uses_[d.node];
  }
  std::uint32_t* add(std::uint32_t node) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(rows_.size()));
      rows_.emplace_back(chains_);
    }
    row_[node] = free_.back();
    free_.pop_back();
    std::fill(rows_[row_[node]].begin(), rows_[row_[node]].end(), 0U);
    return rows_[row_[node]].data();
  }
  [[nodiscard]] const std::uint32_t* of(std::uint32_t node) const { return rows_[row_[node]].data(); }
  void drop(std::uint32_t node) {
    if (uses_[node] == 0) free_.push_back(row_[node]);
  }
  void used(std::uint32_t node) {
    --uses_[node];
    drop(node);
  }

 private:
  std::size_t chains_;
  std::vector<std::vector<std::uint32_t>> rows_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> row_, uses_;  // by node
};

}  // namespace

void reduce(Order& order, LinkReport& report) {
  const Chains chains(order);
  Known known(order, chains.count());
  std::vector<OrderedDep> kept;
  kept.reserve(order.deps.size());
  // number of dependencies that imply the farthest position of a chain
  std::vector<std::uint32_t> knowing(chains.count());
  for (std::uint32_t i = 0; i < order.nodes.size(); ++i) {
    OrderedNode& node = order.nodes[i];
    const auto deps = order.deps_of(node);
    const std::size_t first = kept.size();
    std::uint32_t* const all = known.add(i);
    for (const OrderedDep& d : deps) {
      const std::uint32_t* const row = known.of(d.node);
      for (std::size_t c = 0; c < chains.count(); ++c) {
        knowing[c] = row[c] > all[c] ? 1 : knowing[c] + (row[c] == all[c] ? 1 : 0);
        all[c] = std::max(all[c], row[c]);
      }
    }
    for (const OrderedDep& d : deps) {
      const std::uint32_t c = chains.chain(d.node);
      const bool implied = c != no_index && (all[c] > chains.place(d.node) || knowing[c] > 1);
      if (implied) {
        --report.deps[static_cast<std::size_t>(d.rule)];
      } else {
        kept.push_back(d);
      }
    }
    for (const OrderedDep& d : deps) known.used(d.node);
    if (chains.chain(i) != no_index) all[chains.chain(i)] = chains.place(i);
    known.drop(i);
    node.first_dep = first;
    node.dep_count = static_cast<std::uint32_t>(kept.size() - first);
  }
  order.deps = std::move(kept);
}

}  // namespace convert
