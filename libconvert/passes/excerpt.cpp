// SPDX-License-Identifier: MIT
#include "passes/excerpt.h"

#include <algorithm>
#include <string>

#include "core/units.h"
#include "graph/graph.h"
#include "graph/messages.h"

namespace convert {
namespace {

// Nodes to keep, by rank (position in the set) and node.
using Kept = std::vector<std::vector<bool>>;

struct NodePlace {
  std::uint32_t rank;  // position in the set
  std::uint32_t node;  // index in its trace
};

// Messages, indexed from both ends.
struct Wires {
  using Wire = std::pair<std::uint32_t, NodePlace>;  // node and other end
  std::vector<std::vector<Wire>> of_rank;            // by node

  explicit Wires(const std::vector<Trace>& traces, const std::vector<Graph>& graphs) : of_rank(traces.size()) {
    std::vector<RankMessages> messages;
    std::vector<Rank> ranks;
    for (std::size_t r = 0; r < traces.size(); ++r) {
      messages.push_back(messages_of(traces[r].nodes, graphs[r]));
      ranks.push_back(traces[r].rank);
    }
    peers_to_positions(messages, ranks);
    for_each_message_pair(messages, [&](const MessagePair& m) {
      of_rank[m.from_rank].push_back({m.from_node, {m.to_rank, m.to_node}});
      of_rank[m.to_rank].push_back({m.to_node, {m.from_rank, m.from_node}});
    });
    for (auto& wires : of_rank) std::ranges::sort(wires, {}, &Wire::first);
  }

  template <class Visit>
  void for_each(NodePlace at, const Visit& visit) const {
    for (const Wire& w : std::ranges::equal_range(of_rank[at.rank], at.node, {}, &Wire::first)) visit(w.second);
  }
};

NodePlace find_node(const std::vector<Trace>& traces, const NearNode& near) {
  const std::string option =
      "--around " + (near.rank ? std::to_string(*near.rank) + ':' : std::string()) + std::to_string(near.node);
  if (!near.rank && traces.size() > 1)
    throw usage_error(option + ": the set has several ranks; give the rank, such as " +
                      std::to_string(traces[0].rank) + ':' + std::to_string(near.node));
  for (std::uint32_t r = 0; r < traces.size(); ++r) {
    if (near.rank && traces[r].rank != *near.rank) continue;
    const std::uint32_t node = IdIndex(traces[r].nodes).find(near.node);
    if (node == IdIndex::none) throw usage_error(option + ": " + traces[r].name + " has no node with that id");
    return {r, node};
  }
  throw usage_error(option + ": the rank is not drawn");
}

// Keeps the nodes reached by a breadth-first search over all ranks.
void keep_around(const std::vector<Trace>& traces, const NearNode& near, Kept& kept) {
  std::vector<Graph> graphs;
  for (const Trace& t : traces) graphs.push_back(build_graph(t.nodes));
  const Wires wires(traces, graphs);
  Kept reached;
  for (const Trace& t : traces) reached.emplace_back(t.nodes.nodes.size());
  std::vector<NodePlace> now{find_node(traces, near)};
  reached[now[0].rank][now[0].node] = true;
  for (std::uint32_t hop = 0; hop < near.hops && !now.empty(); ++hop) {
    std::vector<NodePlace> next;
    const auto reach = [&](NodePlace p) {
      if (reached[p.rank][p.node]) return;
      reached[p.rank][p.node] = true;
      next.push_back(p);
    };
    for (const NodePlace at : now) {
      for (const Edge& e : graphs[at.rank].parents(at.node)) reach({at.rank, e.node});
      for (const Edge& e : graphs[at.rank].children(at.node)) reach({at.rank, e.node});
      wires.for_each(at, reach);
    }
    now = std::move(next);
  }
  for (std::size_t r = 0; r < kept.size(); ++r) {
    for (std::size_t i = 0; i < kept[r].size(); ++i) kept[r][i] = kept[r][i] && reached[r][i];
  }
}

// Reduces the trace to the kept nodes, and counts the removed ones.
void keep_nodes(Trace& trace, const std::vector<bool>& kept, ExcerptCounts& counts) {
  const NodeTable from = std::exchange(trace.nodes, {});
  const IdIndex index(from);
  const auto cut = [&](NodeId id) {
    const std::uint32_t parent = index.find(id);
    const bool out = parent != IdIndex::none && !kept[parent];
    counts.cut_deps += out ? 1 : 0;
    return out;
  };
  NodeTable& to = trace.nodes;
  to.positions_are_lines = from.positions_are_lines;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) {
      ++counts.nodes;
      continue;
    }
    const Node& node = from.nodes[i];
    Node bare = node;
    bare.data_deps = bare.ctrl_deps = {};
    to.add_copy(from, bare);
    for (const NodeId id : from.data_deps(node)) {
      if (!cut(id)) to.add_data_dep(id);
    }
    for (const NodeId id : from.ctrl_deps(node)) {
      if (!cut(id)) to.add_ctrl_dep(id);
    }
    if (i < from.positions.size()) to.positions.push_back(from.positions[i]);
  }
}

}  // namespace

ExcerptCounts take_excerpt(std::vector<Trace>& traces, const ExcerptOptions& options) {
  Kept kept;
  for (const Trace& t : traces) {
    auto& of_rank = kept.emplace_back(t.nodes.nodes.size(), true);
    if (!options.nodes) continue;
    for (std::size_t i = 0; i < of_rank.size(); ++i) {
      const NodeId id = t.nodes.nodes[i].id;
      of_rank[i] = id >= options.nodes->first && id <= options.nodes->second;
    }
  }
  if (options.around) keep_around(traces, *options.around, kept);
  ExcerptCounts counts;
  for (std::size_t r = 0; r < traces.size(); ++r) keep_nodes(traces[r], kept[r], counts);
  std::erase_if(traces, [](const Trace& t) { return t.nodes.nodes.empty(); });
  if (traces.empty()) throw usage_error("none of " + counted(counts.nodes, "node") + " is selected");
  return counts;
}

}  // namespace convert
