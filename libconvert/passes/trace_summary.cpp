// SPDX-License-Identifier: MIT
#include "passes/trace_summary.h"

#include "graph/algorithms.h"
#include "graph/graph.h"

namespace convert {

Location TraceSummary::location(const Message& message) const {
  Location where{.file = name, .rank = static_cast<std::int64_t>(rank)};
  where.node = static_cast<std::int64_t>(id(message.node));
  if (positions_are_lines) {
    where.line = static_cast<std::uint32_t>(message.position);
  } else if (positions_known) {
    where.offset = static_cast<std::int64_t>(message.position);
  }
  return where;
}

TraceSummary summarise(const Trace& trace) { return summarise(trace, build_graph(trace.nodes)); }

TraceSummary summarise(const Trace& trace, const Graph& graph) {
  const NodeTable& table = trace.nodes;
  TraceSummary s;
  s.rank = trace.rank;
  s.name = trace.name;
  s.positions_known = !table.positions.empty();
  s.positions_are_lines = s.positions_known && table.positions_are_lines;
  s.size = static_cast<std::uint32_t>(table.nodes.size());
  bool dense = true;
  for (std::uint32_t i = 0; i < s.size; ++i) dense = dense && table.nodes[i].id == i;
  if (!dense) {
    s.ids.reserve(s.size);
    for (const Node& n : table.nodes) s.ids.push_back(n.id);
  }

  s.messages = messages_of(table, graph);
  s.messages.sends.shrink_to_fit();
  s.messages.recvs.shrink_to_fit();
  // Edges inside a strongly connected component belong to a cycle of this rank, which is reported as such.
  std::uint32_t count = 0;
  std::vector<std::uint32_t> component;
  if (topological_order(graph).size() < graph.size()) component = strong_components(graph, count);
  s.child_begin.reserve(std::size_t{s.size} + 1);
  s.children.reserve(graph.edges());
  s.child_begin.push_back(0);
  for (std::uint32_t i = 0; i < s.size; ++i) {
    for (const Edge& e : graph.children(i)) {
      if (component.empty() || component[i] != component[e.node]) s.children.push_back(e.node);
    }
    s.child_begin.push_back(static_cast<std::uint32_t>(s.children.size()));
  }
  return s;
}

}  // namespace convert
