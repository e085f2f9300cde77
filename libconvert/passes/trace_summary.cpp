// SPDX-License-Identifier: MIT
#include "passes/trace_summary.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <unordered_map>

#include "core/algorithm/link_way.h"
#include "core/attr_names.h"
#include "graph/algorithms.h"
#include "graph/graph.h"
#include "util/utf8.h"

namespace convert {

// Numbers the names of nodes, as names repeat, and truncates them to the length that messages show.
class NodeNamesBuilder {
 public:
  explicit NodeNamesBuilder(NodeNames& names) : names_(names) { names_.begin_.push_back(0); }

  std::uint16_t add(std::string_view name) {
    if (name == last_) return last_number_;
    last_ = name;
    if (const auto known = numbers_.find(name); known != numbers_.end()) return last_number_ = known->second;
    last_number_ = names_.begin_.size() <= max_names ? append(name) : std::uint16_t{0};
    if (last_number_ != 0) numbers_.emplace(name, last_number_);
    return last_number_;
  }
  void end() {
    names_.text_.shrink_to_fit();
    names_.begin_.shrink_to_fit();
  }

 private:
  static constexpr std::size_t max_names = 0xffff;
  static constexpr std::size_t max_bytes = std::size_t{64} << 10U;
  static constexpr std::size_t max_shown = 48;

  std::uint16_t append(std::string_view name) {
    const std::string_view cut = cut_to(name, max_shown);
    if (cut.empty() || !is_readable(cut) || names_.text_.size() + cut.size() > max_bytes) return 0;
    names_.text_ += cut;
    if (cut.size() < name.size()) names_.text_ += "…";
    names_.begin_.push_back(static_cast<std::uint32_t>(names_.text_.size()));
    return static_cast<std::uint16_t>(names_.begin_.size() - 1);
  }

  NodeNames& names_;
  std::unordered_map<std::string_view, std::uint16_t> numbers_;
  std::string_view last_;
  std::uint16_t last_number_ = 0;
};

Location TraceSummary::location(std::uint32_t node, std::uint64_t position) const {
  Location where{.file = name, .rank = static_cast<std::int64_t>(rank)};
  where.node = static_cast<std::int64_t>(id(node));
  if (positions_are_lines) {
    where.line = static_cast<std::uint32_t>(position);
  } else if (positions_known) {
    where.offset = static_cast<std::int64_t>(position);
  }
  return where;
}

std::string TraceSummary::named(std::uint32_t node, std::uint64_t name_number) const {
  const std::string_view its_name = names.at(name_number);
  const std::string text = "node " + std::to_string(id(node));
  return its_name.empty() ? text : text + " '" + std::string(its_name) + '\'';
}

NodeParts summary_parts() {
  NodeParts parts = communication_parts();
  return parts.attributes(NodeParts::On::first, std::array{attr::dep_rules})
      .attributes(NodeParts::On::communication,
                  std::array{attr::link_seq, attr::link_via, attr::link_scope, attr::merged_instance})
      .names(NodeParts::On::communication)
      .positions();
}

TraceSummary summarise(const Trace& trace) { return summarise(trace, build_graph(trace.nodes)); }

namespace {

// Omits invalid routes, which the rule attributes reports.
void summarise_ways(const NodeTable& table, const Graph& graph, TraceSummary& s) {
  std::vector<Message> sends = s.messages.sends;
  std::ranges::sort(sends, {}, &Message::node);
  for (const Message& m : sends) {
    const auto attributes = table.attributes(table.nodes[m.node]);
    const std::optional<LinkWay> way = link_way(table, attributes);
    if (!way || !way->problem.empty()) continue;
    s.ways.sends.push_back({.node = m.node,
                            .first_hop = static_cast<std::uint32_t>(s.ways.hops.size()),
                            .scope = turn_scope(attributes)});
    for (std::size_t hop = 0; hop < way->turns.size(); ++hop)
      s.ways.hops.push_back({.turn = way->turns[hop],
                             .to = hop < way->via.size() ? way->via[hop] : static_cast<std::uint32_t>(m.peer)});
    const auto parents = graph.parents(m.node);
    for (const Edge& e : parents) {
      if (!keeps_link_order(table, table.nodes[m.node], table.nodes[e.node])) continue;
      const bool is_data = std::ranges::any_of(
          parents, [&](const Edge& other) { return other.node == e.node && other.kind == DepKind::data; });
      if (!is_data) s.ways.kept.push_back({m.node, e.node});
    }
  }
  std::ranges::sort(s.ways.kept);
}

void summarise_communication(const NodeTable& table, const Graph& graph, TraceSummary& s) {
  const std::vector<std::uint32_t> order = communication_order(table, graph);
  s.messages = messages_of(table, order);
  s.messages.sends.shrink_to_fit();
  s.messages.recvs.shrink_to_fit();
  s.collectives = collectives_of(table, order);
  NodeNamesBuilder names(s.names);
  const auto name_all = [&](auto& items) {
    for (auto& item : items) item.name = names.add(table.name(table.nodes[item.node]));
  };
  name_all(s.messages.sends);
  name_all(s.messages.recvs);
  for (GroupUse& use : s.collectives) name_all(use.calls);
  names.end();
}

}  // namespace

TraceSummary summarise(const Trace& trace, const Graph& graph) {
  const NodeTable& table = trace.nodes;
  TraceSummary s;
  s.rank = trace.rank;
  s.name = trace.name;
  s.positions_known = !table.positions.empty();
  s.positions_are_lines = s.positions_known && table.positions_are_lines;
  s.size = static_cast<std::uint32_t>(table.nodes.size());
  s.tells_order =
      std::any_of(table.attrs.begin(), table.attrs.end(), [](const Attr& a) { return a.name == attr::dep_rules; });
  s.recorded = s.tells_order ||
               std::any_of(table.nodes.begin(), table.nodes.end(), [](const Node& n) { return n.start_us != 0; });
  const auto ids = std::views::transform(table.nodes, &Node::id);
  if (!std::ranges::equal(ids, std::views::iota(NodeId{0}, NodeId{s.size}))) s.ids.assign(ids.begin(), ids.end());

  summarise_communication(table, graph, s);
  if (find(trace.metadata.table.attrs, scheduled_network) != nullptr) summarise_ways(table, graph, s);
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
