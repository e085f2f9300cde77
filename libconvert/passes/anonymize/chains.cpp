// SPDX-License-Identifier: MIT
#include "passes/anonymize/chains.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/found_attrs.h"
#include "core/id_lookup.h"
#include "graph/lanes.h"
#include "passes/anonymize/kept.h"
#include "passes/iterations/iterations.h"

namespace convert {
namespace {

constexpr std::uint32_t no_neighbour = IdLookup::none;
constexpr std::uint32_t many_neighbours = no_neighbour - 1;

// Attributes that merged nodes may have: equal in a chain; summed; the others come from the first node.
constexpr std::array same_in_chain = {attr::is_cpu_op, attr::tensor_loc, attr::npu};
constexpr std::array added_in_chain = {attr::duration_nanos, attr::num_ops, attr::tensor_size};
constexpr std::array taken_in_chain = {
    attr::is_cpu_op, attr::tensor_loc,  attr::npu,         attr::duration_nanos,
    attr::num_ops,   attr::tensor_size, attr::start_nanos, attr::start_delay_nanos,
    attr::stream,    attr::tid};
using ChainFacts = FoundAttrs<taken_in_chain>;

// Records `index` as the only neighbour, or `many_neighbours` if there is another one.
void note(std::uint32_t& one, std::uint32_t index) {
  if (one == no_neighbour || one == index) {
    one = index;
  } else {
    one = many_neighbours;
  }
}

class ChainMerger {
 public:
  explicit ChainMerger(NodeTable& nodes)
      : nodes_(nodes),
        lookup_(nodes.nodes.size(), [&](std::size_t i) { return std::optional(nodes.nodes[i].id); }) {}

  std::uint64_t run() {
    if (lookup_.repeated()) return 0;
    find_neighbours();
    std::vector<std::uint32_t> next(nodes_.nodes.size(), no_neighbour);
    std::vector<bool> follows(nodes_.nodes.size());
    for (std::uint32_t i = 0; i < next.size(); ++i) {
      if (child_[i] < many_neighbours && parent_[child_[i]] == i && child_[i] != i && may_follow(i, child_[i])) {
        next[i] = child_[i];
        follows[child_[i]] = true;
      }
    }
    // nodes to remove; not the nodes of a cycle, as it has no first node
    std::vector<bool> goes(nodes_.nodes.size());
    for (std::uint32_t i = 0; i < next.size(); ++i) {
      if (next[i] == no_neighbour || follows[i]) continue;
      for (std::uint32_t at = next[i]; at != no_neighbour; at = next[at]) {
        first_of_[at] = i;
        goes[at] = true;
      }
      merge(i, next);
    }
    return remove(goes);
  }

 private:
  // Finds each node's parent and child if it has exactly one.
  void find_neighbours() {
    parent_.assign(nodes_.nodes.size(), no_neighbour);
    child_.assign(nodes_.nodes.size(), no_neighbour);
    first_of_.assign(nodes_.nodes.size(), no_neighbour);
    for (std::uint32_t i = 0; i < parent_.size(); ++i) {
      for (const auto deps : {nodes_.data_deps(nodes_.nodes[i]), nodes_.ctrl_deps(nodes_.nodes[i])}) {
        for (const NodeId id : deps) {
          const std::uint32_t parent = lookup_.find(id);
          if (parent == no_neighbour) {
            parent_[i] = many_neighbours;
            continue;
          }
          note(parent_[i], parent);
          note(child_[parent], i);
        }
      }
    }
  }

  // Returns whether a node is a computation that has only attributes of taken_in_chain and dep_rules.
  [[nodiscard]] bool is_plain(const Node& n) const {
    if (n.type != NodeType::comp || iteration_mark(nodes_, n)) return false;
    return std::ranges::all_of(nodes_.attributes(n), [](const Attr& a) {
      if (a.name == attr::dep_rules) return a.kind == Kind::string_val;  // the first node keeps its dep_rules
      return std::ranges::find(taken_in_chain, a.name) != taken_in_chain.end() && is_integer(a.kind);
    });
  }

  [[nodiscard]] bool may_follow(std::uint32_t first, std::uint32_t second) const {
    const Node &a = nodes_.nodes[first], &b = nodes_.nodes[second];
    if (!is_plain(a) || !is_plain(b) || lane_of(nodes_, a) != lane_of(nodes_, b)) return false;
    const ChainFacts of_a(nodes_.attributes(a)), of_b(nodes_.attributes(b));
    const auto same_presence = [&](Name name) { return (of_a[name] == nullptr) == (of_b[name] == nullptr); };
    const auto same_value = [&](Name name) {
      return same_presence(name) && int_value(of_a[name]).value == int_value(of_b[name]).value;
    };
    return std::ranges::all_of(same_in_chain, same_value) && std::ranges::all_of(added_in_chain, same_presence);
  }

  // Sums a chain into its first node. Sums saturate at the largest value.
  void merge(std::uint32_t first, const std::vector<std::uint32_t>& next) {
    std::array<std::int64_t, added_in_chain.size() + 1> sums{};
    std::uint64_t us = 0;
    for (std::uint32_t at = first; at != no_neighbour; at = next[at]) {
      const ChainFacts f(nodes_.attributes(nodes_.nodes[at]));
      for (std::size_t k = 0; k < added_in_chain.size(); ++k)
        add(sums.at(k), int_value(f[added_in_chain.at(k)]).value);
      add(sums.back(), int_value(f[attr::start_delay_nanos]).value);
      if (__builtin_add_overflow(us, nodes_.nodes[at].duration_us, &us)) us = UINT64_MAX;
    }
    Node& n = nodes_.nodes[first];
    n.duration_us = us;
    const Range before = n.attrs;
    n.attrs.begin = static_cast<std::uint32_t>(nodes_.attrs.size());
    for (std::uint32_t k = 0; k < before.count; ++k) {
      Attr a = nodes_.attrs[before.begin + k];
      if (a.name == attr::start_delay_nanos) continue;
      const auto sum = std::ranges::find(added_in_chain, a.name);
      if (sum != added_in_chain.end())
        set_number(a, sums.at(static_cast<std::size_t>(sum - added_in_chain.begin())));
      nodes_.attrs.push_back(a);
    }
    if (sums.back() != 0) nodes_.add_int(attr::start_delay_nanos, Kind::int64_val, sums.back());
    n.attrs.count = static_cast<std::uint32_t>(nodes_.attrs.size()) - n.attrs.begin;
  }

  static void add(std::int64_t& sum, std::int64_t value) {
    if (__builtin_add_overflow(sum, value, &sum)) sum = INT64_MAX;
  }

  std::uint64_t remove(const std::vector<bool>& goes) {
    for (std::uint32_t i = 0; i < goes.size(); ++i) {
      if (goes[i]) continue;
      for (const Range range : {nodes_.nodes[i].data_deps, nodes_.nodes[i].ctrl_deps}) {
        for (std::uint32_t k = 0; k < range.count; ++k) {
          NodeId& dep = nodes_.deps[range.begin + k];
          const std::uint32_t parent = lookup_.find(dep);
          if (parent != no_neighbour && first_of_[parent] != no_neighbour) dep = nodes_.nodes[first_of_[parent]].id;
        }
      }
    }
    std::size_t left = 0;
    const bool has_positions = nodes_.positions.size() == goes.size();
    for (std::size_t i = 0; i < goes.size(); ++i) {
      if (goes[i]) continue;
      nodes_.nodes[left] = nodes_.nodes[i];
      if (has_positions) nodes_.positions[left] = nodes_.positions[i];
      ++left;
    }
    nodes_.nodes.resize(left);
    if (has_positions) nodes_.positions.resize(left);
    return goes.size() - left;
  }

  NodeTable& nodes_;
  IdLookup lookup_;
  std::vector<std::uint32_t> parent_, child_;
  std::vector<std::uint32_t> first_of_;  // of nodes to remove: the first node of their chain
};

}  // namespace

std::uint64_t merge_chains(NodeTable& nodes) { return ChainMerger(nodes).run(); }

}  // namespace convert
