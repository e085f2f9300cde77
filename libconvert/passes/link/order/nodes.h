// SPDX-License-Identifier: MIT
// Collects the nodes of an order under construction, each with its dependencies on earlier nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "passes/link/order/order.h"
#include "util/huge_pages.h"

namespace convert {

class OrderNodes {
 public:
  explicit OrderNodes(LinkReport& report) : report_(report) {}

  void reserve(std::size_t nodes, std::size_t deps) {
    reserve_huge(out_.nodes, nodes);
    reserve_huge(out_.deps, deps);
  }
  // Adds a node; add_dep() adds dependencies to it until the next node is added.
  OrderedNode& add(OrderedNode::Kind kind, std::uint32_t source, std::uint32_t thread, std::int64_t start_ns) {
    OrderedNode& n = out_.nodes.emplace_back();
    n.kind = kind;
    n.first_dep = out_.deps.size();
    n.source = source;
    n.thread = thread;
    n.start_ns = start_ns;
    return n;
  }
  // Adds a dependency of the last node, once per parent. The first reason is kept, except that data, which is
  // stronger than an order, replaces it.
  void add_dep(std::uint32_t node, DepRule rule) {
    if (node == no_index) return;
    OrderedNode& n = out_.nodes.back();
    if (is_named(n, node)) {
      if (rule == DepRule::data) make_data(n, node);
      return;
    }
    out_.deps.push_back({node, rule});
    ++n.dep_count;
    ++report_.deps[static_cast<std::size_t>(rule)];
  }
  [[nodiscard]] OrderedNode& operator[](std::uint32_t node) { return out_.nodes[node]; }
  // Returns the number of the node that was added last.
  [[nodiscard]] std::uint32_t last() const { return next() - 1; }
  [[nodiscard]] std::uint32_t next() const { return static_cast<std::uint32_t>(out_.nodes.size()); }
  [[nodiscard]] Order take() { return std::move(out_); }

 private:
  [[nodiscard]] std::span<OrderedDep> deps_of(const OrderedNode& n) {
    return std::span(out_.deps).subspan(n.first_dep);
  }
  void make_data(const OrderedNode& n, std::uint32_t node) {
    const auto at = std::ranges::find(deps_of(n), node, &OrderedDep::node);
    --report_.deps[static_cast<std::size_t>(at->rule)];
    ++report_.deps[static_cast<std::size_t>(DepRule::data)];
    at->rule = DepRule::data;
  }
  [[nodiscard]] bool is_named(const OrderedNode& n, std::uint32_t node) {
    constexpr std::uint32_t many = 16;
    const std::span<OrderedDep> deps = deps_of(n);
    if (n.dep_count < many) return std::ranges::find(deps, node, &OrderedDep::node) != deps.end();
    const auto mark = next();
    if (named_by_.size() < mark) named_by_.resize(std::max<std::size_t>(mark, 2 * named_by_.size()));
    if (n.dep_count == many) {
      for (const OrderedDep& d : deps) named_by_[d.node] = mark;
    }
    return std::exchange(named_by_[node], mark) == mark;
  }

  LinkReport& report_;
  Order out_;
  std::vector<std::uint32_t> named_by_;  // by node: 1 + the node that depends on it
};

}  // namespace convert
