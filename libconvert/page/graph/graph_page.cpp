// SPDX-License-Identifier: MIT
#include "page/graph/graph_page.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/collective.h"
#include "core/found_attrs.h"
#include "core/units.h"
#include "graph/lanes.h"
#include "util/json_writer.h"

namespace convert {
namespace {

constexpr NodeId most_exact_id = NodeId{1} << 53U;  // largest integer up to which doubles are exact
constexpr std::array facts_names = {attr::comm_type,   attr::comm_src,    attr::comm_dst,      attr::comm_size,
                                    attr::tensor_size, attr::start_nanos, attr::duration_nanos};
using Facts = FoundAttrs<facts_names>;

// Returns a whole number of at least 0 that is exact in a double; else -1.
std::int64_t count_of(const Attr* attr) {
  const IntValue v = int_value(attr);
  return v && v.value >= 0 && static_cast<NodeId>(v.value) <= most_exact_id ? v.value : -1;
}

std::int32_t peer_of(NodeType type, const Facts& facts) {
  if (type != NodeType::comm_send && type != NodeType::comm_recv) return -1;
  const std::int64_t peer = count_of(facts[type == NodeType::comm_send ? attr::comm_dst : attr::comm_src]);
  return peer > largest_rank ? -1 : static_cast<std::int32_t>(peer);
}

std::int64_t bytes_of(NodeType type, const Facts& facts) {
  switch (type) {
    case NodeType::comm_send:
    case NodeType::comm_recv:
    case NodeType::comm_coll: return count_of(facts[attr::comm_size]);
    case NodeType::mem_load:
    case NodeType::mem_store: return count_of(facts[attr::tensor_size]);
    default: return -1;
  }
}

std::uint8_t op_of(NodeType type, const Facts& facts) {
  if (type != NodeType::comm_coll) return 255;
  const IntValue number = int_value(facts[attr::comm_type]);
  const Collective op = number ? collective_of(number.value) : Collective{-1};
  return name(op).empty() ? 255 : static_cast<std::uint8_t>(op);
}

std::int64_t ns_of_us(std::uint64_t us) {
  return us > INT64_MAX / 1000 ? -1 : static_cast<std::int64_t>(us) * 1000;
}

// Returns whether any value is known.
bool any(const std::vector<std::int64_t>& values) {
  return std::ranges::any_of(values, [](std::int64_t v) { return v >= 0; });
}

}  // namespace

void GraphPage::add_times(const Node& node, std::int64_t start_nanos, std::int64_t duration_nanos) {
  const std::int64_t begin = start_nanos >= 0 ? start_nanos : node.start_us > 0 ? ns_of_us(node.start_us) : -1;
  const std::int64_t takes = duration_nanos >= 0 ? duration_nanos : ns_of_us(node.duration_us);
  begin_ns_.push_back(begin);
  duration_ns_.push_back(takes == 0 && begin < 0 ? -1 : std::min(takes, static_cast<std::int64_t>(most_exact_id)));
}

void GraphPage::add_node(const NodeTable& table, const Node& node) {
  const Facts facts(table.attributes(node));
  const auto type = static_cast<std::int32_t>(node.type);
  if (node.id > most_exact_id)
    large_ids_.emplace_back(static_cast<std::uint32_t>(id_.size()), std::to_string(node.id));
  id_.push_back(node.id > most_exact_id ? -1 : static_cast<double>(node.id));
  type_.push_back(type >= 0 && type < 255 ? static_cast<std::uint8_t>(type) : 255);
  name_.push_back(static_cast<std::int32_t>(names_.add(table.name(node))));
  bytes_.push_back(static_cast<double>(bytes_of(node.type, facts)));
  peer_.push_back(peer_of(node.type, facts));
  op_.push_back(op_of(node.type, facts));
  const IntValue start = int_value(facts[attr::start_nanos]);
  add_times(node, start ? start.value : -1, count_of(facts[attr::duration_nanos]));
  attributes_.add(table, node);
}

void GraphPage::add_edges(const Trace& trace, const Graph& graph, const std::vector<GraphDefect>& defects) {
  const auto first = static_cast<std::int32_t>(ranks_.back().first);
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    std::int32_t data = 0;
    for (const Edge& e : graph.parents(i)) {
      parent_.push_back(first + static_cast<std::int32_t>(e.node));
      data += e.kind == DepKind::data ? 1 : 0;
    }
    data_count_.push_back(data);
    control_count_.push_back(static_cast<std::int32_t>(graph.parents(i).size()) - data);
  }
  for (const GraphDefect& d : defects) {
    if (d.what != GraphDefect::What::dangling && d.what != GraphDefect::What::self) continue;
    missing_node_.push_back(first + static_cast<std::int32_t>(d.index));
    missing_id_.push_back(d.id > most_exact_id ? -1 : static_cast<double>(d.id));
  }
  messages_.push_back(messages_of(trace.nodes, graph));
}

// A caller that is also a data dependency is an edge only once.
void GraphPage::add_callers(const NodeTable& table) {
  const IdIndex index(table);
  const auto first = static_cast<std::int32_t>(ranks_.back().first);
  for (std::uint32_t i = 0; i < table.nodes.size(); ++i) {
    const auto callers = table.ctrl_deps(table.nodes[i]);
    const std::uint32_t caller = callers.empty() ? IdIndex::none : index.find(callers.front());
    caller_.push_back(caller == IdIndex::none || caller == i ? -1 : first + static_cast<std::int32_t>(caller));
  }
}

void GraphPage::add(const Trace& trace) {
  const NodeTable& table = trace.nodes;
  if (nodes() + table.nodes.size() > most_nodes) {
    throw Error(Error::Kind::input, {.file = trace.name},
                "with rank " + std::to_string(trace.rank) + " the graph has " +
                    counted(nodes() + table.nodes.size(), "node") + "; a page shows at most " +
                    std::to_string(most_nodes) +
                    "; draw a part with --ranks, --nodes or --around, divide the traces with et-split, or write -t "
                    "graphml");
  }
  ranks_.push_back(
      {trace.rank, static_cast<std::uint32_t>(nodes()), static_cast<std::uint32_t>(table.nodes.size())});
  const RankLanes lanes = lanes_of(table);
  for (const std::uint32_t lane : lanes.of_node) lane_.push_back(static_cast<std::int32_t>(lanes_.size() + lane));
  for (const NodeLane& lane : lanes.lanes) {
    lanes_.push_back({static_cast<std::uint32_t>(ranks_.size() - 1), label(lane)});
  }
  for (const Node& node : table.nodes) add_node(table, node);
  std::vector<GraphDefect> defects;
  const Graph graph = build_graph(table, &defects);
  add_edges(trace, graph, defects);
  add_callers(table);
}

void GraphPage::match_messages() {
  std::vector<Rank> ranks;
  for (const RankPart& r : ranks_) ranks.push_back(r.rank);
  peers_to_positions(messages_, ranks);
  for_each_message_pair(messages_, [&](const MessagePair& m) {
    message_from_.push_back(static_cast<std::int32_t>(ranks_[m.from_rank].first + m.from_node));
    message_to_.push_back(static_cast<std::int32_t>(ranks_[m.to_rank].first + m.to_node));
  });
  messages_.clear();
}

std::string GraphPage::head(std::string_view title, std::string_view operand, std::int64_t base_ns) const {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("version", 1).member("title", title).member("operand", operand);
  json.key("ranks").begin_array();
  for (const RankPart& r : ranks_) json.begin_array().value(r.rank).value(r.nodes).end_array();
  json.end_array().key("lanes").begin_array();
  for (const Lane& lane : lanes_) json.begin_array().value(lane.rank).value(lane.label).end_array();
  json.end_array().key("names").begin_array();
  for (std::uint32_t i = 0; i < names_.size(); ++i) json.value(names_[i]);
  json.end_array().key("large_ids").begin_array();
  for (const auto& [node, id] : large_ids_) json.begin_array().value(node).value(id).end_array();
  json.end_array();
  if (base_ns >= 0) json.key("time").begin_object().member("base_ns", std::to_string(base_ns)).end_object();
  attributes_.write_head(json);
  json.end_object();
  return text;
}

std::vector<Column> GraphPage::take_columns(std::int64_t base_ns) {
  using Code = Column::Code;
  std::vector<Column> columns;
  const auto add = [&](const char* name, auto& values, Code code) {
    columns.push_back({name, std::move(values), code});
  };
  add("id", id_, Code::delta);
  add("type", type_, Code::raw);
  add("name", name_, Code::dict);
  add("lane", lane_, Code::delta);
  add("bytes", bytes_, Code::delta);
  add("peer", peer_, Code::dict);
  add("op", op_, Code::raw);
  const auto add_ns = [&](const char* name, const std::vector<std::int64_t>& ns, std::int64_t base) {
    std::vector<double> values;
    for (const std::int64_t v : ns) values.push_back(v < 0 ? -1 : static_cast<double>(v - base));
    add(name, values, Code::delta);
  };
  if (any(begin_ns_)) add_ns("begin", begin_ns_, base_ns);
  if (any(duration_ns_)) add_ns("duration", duration_ns_, 0);
  add("data_count", data_count_, Code::dict);
  add("control_count", control_count_, Code::dict);
  const auto called = std::ranges::count_if(caller_, [](std::int32_t c) { return c >= 0; });
  if (2 * static_cast<std::size_t>(called) > caller_.size()) add("caller", caller_, Code::delta);
  add("parent", parent_, Code::delta);
  add("message_from", message_from_, Code::delta);
  add("message_to", message_to_, Code::delta);
  add("missing_node", missing_node_, Code::delta);
  add("missing_id", missing_id_, Code::delta);
  attributes_.take_columns(columns);
  return columns;
}

GraphPage::Data GraphPage::take(std::string_view title, std::string_view operand) && {
  match_messages();
  std::int64_t base_ns = -1;
  for (const std::int64_t begin : begin_ns_) {
    if (begin >= 0 && (base_ns < 0 || begin < base_ns)) base_ns = begin;
  }
  Data data{head(title, operand, base_ns), {}};
  data.columns = take_columns(base_ns);
  return data;
}

void GraphPage::write(std::string_view title, std::string_view operand, Output& output) && {
  const Data data = std::move(*this).take(title, operand);
  write_page(PageKind::graph, title, data.head, data.columns, output);
}

}  // namespace convert
