// SPDX-License-Identifier: MIT
#include "passes/rules/whole_set/cycles.h"

#include <algorithm>
#include <utility>

#include "graph/algorithms.h"

namespace convert::rules {
namespace {

// Returns the nodes that can never complete, on a cycle or after one, ascending.
std::vector<std::uint32_t> stuck_nodes(const WholeSet& whole) {
  std::vector<std::uint32_t> open(whole.size());
  for (std::uint32_t i = 0; i < whole.size(); ++i) whole.for_children(i, [&](std::uint32_t c) { ++open[c]; });
  std::vector<std::uint32_t> ready;
  std::uint32_t done = 0;
  for (std::uint32_t i = 0; i < whole.size(); ++i) {
    if (open[i] != 0) continue;
    ready.push_back(i);
    while (!ready.empty()) {
      const std::uint32_t at = ready.back();
      ready.pop_back();
      open[at] = no_index;  // done: the outer loop skips it
      ++done;
      whole.for_children(at, [&](std::uint32_t c) {
        if (--open[c] == 0) ready.push_back(c);
      });
    }
  }
  std::vector<std::uint32_t> stuck;
  if (done == whole.size()) return stuck;
  for (std::uint32_t i = 0; i < whole.size(); ++i) {
    if (open[i] != no_index) stuck.push_back(i);
  }
  return stuck;
}

// Subgraph of a set; nodes are named by position.
class Part {
 public:
  Part(const WholeSet& whole, const std::vector<std::uint32_t>& nodes) : parent_begin_(nodes.size() + 2) {
    std::vector<std::uint32_t> position(whole.size(), no_index);
    for (std::uint32_t i = 0; i < nodes.size(); ++i) position[nodes[i]] = i;
    const auto for_edges = [&](const auto& visit) {
      for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        whole.for_children(nodes[i], [&](std::uint32_t child) {
          if (position[child] != no_index) visit(i, position[child]);
        });
      }
    };
    for_edges([&](std::uint32_t, std::uint32_t child) { ++parent_begin_[child + 2]; });
    for (std::size_t i = 1; i < parent_begin_.size(); ++i) parent_begin_[i] += parent_begin_[i - 1];
    parents_.resize(parent_begin_.back());
    for_edges([&](std::uint32_t parent, std::uint32_t child) { parents_[parent_begin_[child + 1]++] = parent; });
    parent_begin_.pop_back();
  }
  [[nodiscard]] std::span<const std::uint32_t> parents(std::size_t i) const {
    return std::span(parents_).subspan(parent_begin_[i], parent_begin_[i + 1] - parent_begin_[i]);
  }

  // Repeatedly removes nodes without dependents. Returns by position which nodes are left.
  [[nodiscard]] std::vector<bool> without_ends() const {
    const std::size_t count = parent_begin_.size() - 1;
    std::vector<std::uint32_t> children(count);
    for (const std::uint32_t p : parents_) ++children[p];
    std::vector<std::uint32_t> ends;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (children[i] == 0) ends.push_back(i);
    }
    std::vector<bool> kept(count, true);
    while (!ends.empty()) {
      const std::uint32_t at = ends.back();
      ends.pop_back();
      kept[at] = false;
      for (const std::uint32_t p : parents(at)) {
        if (--children[p] == 0) ends.push_back(p);
      }
    }
    return kept;
  }

  [[nodiscard]] Graph graph() const {
    NodeTable table;
    for (std::uint32_t i = 0; i + 1 < parent_begin_.size(); ++i) {
      table.add_node(i, NodeType::invalid, {});
      for (const std::uint32_t p : parents(i)) table.add_data_dep(p);
      table.end_node();
    }
    return build_graph(table);
  }

 private:
  std::vector<std::uint32_t> parent_begin_;
  std::vector<std::uint32_t> parents_;
};

}  // namespace

std::vector<std::uint32_t> nodes_on_cycles(const WholeSet& whole) {
  std::vector<std::uint32_t> nodes = stuck_nodes(whole);
  if (nodes.empty()) return nodes;
  const std::vector<bool> kept = Part(whole, nodes).without_ends();
  std::size_t count = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (kept[i]) nodes[count++] = nodes[i];
  }
  nodes.resize(count);
  return nodes;
}

BlockedRanks first_blocked(const WholeSet& whole, std::size_t most) {
  const std::vector<std::uint32_t> stuck = stuck_nodes(whole);
  std::vector<bool> held(whole.size());                   // some predecessor on its rank never ends
  std::vector<std::uint32_t> on(whole.size(), no_index);  // of a receive or call: its send, or the meeting
  for (const std::uint32_t node : stuck) {
    whole.for_waiting(node, [&](std::uint32_t waiting, std::uint32_t dependent) {
      if (dependent == waiting || dependent != no_index) {  // the first condition is for g++'s -Warray-bounds
        held[dependent] = true;
      } else if (whole.is_meeting(node) || !whole.is_meeting(waiting)) {
        on[waiting] = node;
      } else if (const std::uint32_t member = whole.member_of(waiting, whole.rank_of(node)); member != no_index) {
        held[member] = true;  // after another call
      }
    });
  }
  BlockedRanks blocked;
  std::uint32_t end = 0;  // of the rank of the last one
  for (const std::uint32_t node : stuck) {
    if (node < end || whole.is_meeting(node) || held[node] || on[node] == no_index) continue;
    end = whole.base(whole.rank_of(node) + 1);
    if (blocked.first.size() == most) {
      ++blocked.more;
      continue;
    }
    Blocked b{.node = node, .on = on[node], .missing = 0};
    if (whole.is_meeting(b.on)) {
      const std::uint32_t meeting = std::exchange(b.on, no_index);
      for (const std::uint32_t member : whole.members(meeting)) {
        if (held[member] && b.missing++ == 0) b.on = member;
      }
    }
    if (b.on != no_index) blocked.first.push_back(b);
  }
  return blocked;
}

std::vector<std::vector<std::uint32_t>> cycles_among(const WholeSet& whole, std::vector<std::uint32_t> nodes,
                                                     std::size_t most) {
  std::vector<std::vector<std::uint32_t>> cycles;
  while (!nodes.empty() && cycles.size() < most) {
    std::vector<std::vector<std::uint32_t>> found = find_cycles(Part(whole, nodes).graph());
    if (found.empty()) break;
    std::vector<std::uint32_t> used;
    for (std::vector<std::uint32_t>& cycle : found) {
      for (std::uint32_t& i : cycle) i = nodes[i];
      used.insert(used.end(), cycle.begin(), cycle.end());
      cycles.push_back(std::move(cycle));
    }
    std::ranges::sort(used);
    std::vector<std::uint32_t> rest;
    std::set_difference(nodes.begin(), nodes.end(), used.begin(), used.end(), std::back_inserter(rest));
    nodes = std::move(rest);
  }
  std::ranges::sort(cycles, [](const auto& a, const auto& b) { return a.front() < b.front(); });
  return cycles;
}

}  // namespace convert::rules
