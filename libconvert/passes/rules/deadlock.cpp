// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>

#include "graph/algorithms.h"
#include "passes/rules/rules.h"

namespace convert::rules {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

// All nodes of all ranks in one numbering. Edges: dependencies, and from the k-th send to the k-th receive, which
// completes only after its send was issued. Receives without a send are the business of rule pairs.
class WholeSet {
 public:
  explicit WholeSet(std::span<const TraceSummary> set) : set_(set) {
    std::uint64_t total = 0;
    for (const TraceSummary& s : set) {
      base_.push_back(static_cast<std::uint32_t>(total));
      total += s.size;
      if (total >= none) throw input_error({}, "more than 4294967294 nodes in one set", "deadlock");
    }
    base_.push_back(static_cast<std::uint32_t>(total));
    message_.assign(total, none);
    for_each_message_group(messages_by_rank(set), [&](const MessageGroup& g) {
      for (std::size_t k = 0; k < std::min(g.sends.size(), g.recvs.size()); ++k) {
        const std::uint32_t send = base_[g.src] + set[g.src].messages.sends[g.sends[k]].node;
        const std::uint32_t recv = base_[g.dst] + set[g.dst].messages.recvs[g.recvs[k]].node;
        if (send != recv) message_[send] = recv;
      }
    });
  }

  [[nodiscard]] std::uint32_t size() const { return base_.back(); }
  [[nodiscard]] std::uint32_t rank_of(std::uint32_t node) const {
    const auto after = std::upper_bound(base_.begin(), base_.end(), node);
    return static_cast<std::uint32_t>(after - base_.begin()) - 1;
  }
  [[nodiscard]] std::uint32_t base(std::uint32_t rank) const { return base_[rank]; }

  template <typename Visit>
  void for_children(std::uint32_t node, const Visit& visit) const {
    const std::uint32_t rank = rank_of(node);
    for (const std::uint32_t child : set_[rank].children_of(node - base_[rank])) visit(base_[rank] + child);
    if (message_[node] != none) visit(message_[node]);
  }

 private:
  std::span<const TraceSummary> set_;
  std::vector<std::uint32_t> base_;     // number of the first node of each rank, then of all
  std::vector<std::uint32_t> message_;  // of a send: its receive
};

// Nodes that can never complete: on a cycle or behind one, ascending.
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
      open[at] = none;  // done: the outer loop passes it over
      ++done;
      whole.for_children(at, [&](std::uint32_t c) {
        if (--open[c] == 0) ready.push_back(c);
      });
    }
  }
  std::vector<std::uint32_t> stuck;
  if (done == whole.size()) return stuck;
  for (std::uint32_t i = 0; i < whole.size(); ++i) {
    if (open[i] != none) stuck.push_back(i);
  }
  return stuck;
}

// The parents of the stuck nodes among themselves, by position in `stuck`.
struct StuckParents {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> parents;
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t i) const {
    return std::span(parents).subspan(begin[i], begin[i + 1] - begin[i]);
  }
};

StuckParents parents_of(const WholeSet& whole, const std::vector<std::uint32_t>& stuck) {
  const auto position = [&](std::uint32_t node) {
    return static_cast<std::size_t>(std::lower_bound(stuck.begin(), stuck.end(), node) - stuck.begin());
  };
  StuckParents p;
  p.begin.resize(stuck.size() + 2);
  for (const std::uint32_t node : stuck) {
    whole.for_children(node, [&](std::uint32_t child) { ++p.begin[position(child) + 2]; });
  }
  for (std::size_t i = 1; i < p.begin.size(); ++i) p.begin[i] += p.begin[i - 1];
  p.parents.resize(p.begin.back());
  for (std::uint32_t i = 0; i < stuck.size(); ++i) {
    whole.for_children(stuck[i], [&](std::uint32_t child) { p.parents[p.begin[position(child) + 1]++] = i; });
  }
  p.begin.pop_back();
  return p;
}

// Keeps what lies on a cycle or between cycles: a deadlock blocks all that comes after it, often the whole set.
// Node ids are positions in `stuck`.
NodeTable core_of(const StuckParents& parents, std::size_t count) {
  std::vector<std::uint32_t> children(count);
  for (const std::uint32_t p : parents.parents) ++children[p];
  std::vector<std::uint32_t> ends;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (children[i] == 0) ends.push_back(i);
  }
  std::vector<bool> dropped(count);
  while (!ends.empty()) {
    const std::uint32_t at = ends.back();
    ends.pop_back();
    dropped[at] = true;
    for (const std::uint32_t p : parents.of(at)) {
      if (--children[p] == 0) ends.push_back(p);
    }
  }
  NodeTable core;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (dropped[i]) continue;
    core.add_node(i, NodeType::invalid, {});
    for (const std::uint32_t p : parents.of(i)) core.add_data_dep(p);
    core.end_node();
  }
  return core;
}

// Only messages have their place in the summary.
Location place_of(const TraceSummary& s, std::uint32_t index) {
  for (const auto* messages : {&s.messages.sends, &s.messages.recvs}) {
    for (const Message& m : *messages) {
      if (m.node == index) return s.location(m);
    }
  }
  Location where{.file = s.name, .rank = static_cast<std::int64_t>(s.rank)};
  where.node = static_cast<std::int64_t>(s.id(index));
  return where;
}

}  // namespace

void check_deadlock(std::span<const TraceSummary> set, Diagnostics& diagnostics) {
  const WholeSet whole(set);
  const std::vector<std::uint32_t> stuck = stuck_nodes(whole);
  if (stuck.empty()) return;
  const NodeTable core = core_of(parents_of(whole, stuck), stuck.size());
  for (const std::vector<std::uint32_t>& cycle : find_cycles(build_graph(core))) {
    std::vector<std::string> links;
    for (const std::uint32_t i : cycle) {
      const std::uint32_t node = stuck[core.nodes[i].id];
      const Rank rank = whole.rank_of(node);
      links.push_back(std::to_string(rank) + ':' + std::to_string(set[rank].id(node - whole.base(rank))));
    }
    links.push_back(links.front());
    const std::uint32_t first = stuck[core.nodes[cycle.front()].id];
    const Rank rank = whole.rank_of(first);
    diagnostics.error(place_of(set[rank], first - whole.base(rank)), "deadlock",
                      "deadlock " + chain_text(links) + " (rank:node; each waits for the one before it)");
  }
}

}  // namespace convert::rules
