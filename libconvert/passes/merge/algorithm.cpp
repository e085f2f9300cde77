// SPDX-License-Identifier: MIT
#include "passes/merge/algorithm.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/algorithm/link_way.h"
#include "core/algorithm/named_net.h"
#include "core/diagnostic.h"
#include "graph/algorithms.h"
#include "graph/graph.h"
#include "passes/provenance.h"

namespace convert {
namespace {

Error bad_node(const Trace& trace, std::size_t index, const std::string& what) {
  return input_error(location_of(trace, index), "node " + std::to_string(trace.nodes.nodes[index].id) + ": " + what,
                     "merge");
}

// Returns an integer attribute, or `otherwise` if it is absent. Throws if it is not an integer.
std::int64_t integer_or(const Trace& trace, std::size_t index, Name name, std::int64_t otherwise) {
  const IntValue v = int_value(trace.nodes.attributes(trace.nodes.nodes[index]), name);
  if (v) return v.value;
  if (v.status == IntValue::Status::absent) return otherwise;
  throw bad_node(trace, index, "attribute " + std::string(name.view()) + " is not an integer below 2^63");
}

std::int32_t net_of(const Trace& trace, std::size_t index, Name name) {
  const std::int64_t net = integer_or(trace, index, name, -1);
  return net >= 0 && net <= INT32_MAX ? static_cast<std::int32_t>(net) : -1;
}

class PlaceReader {
 public:
  PlaceReader(const Trace& trace, std::uint32_t places) : trace_(trace), places_(places) {}
  MergePlace read();

 private:
  [[nodiscard]] Graph sound_graph() const;
  MergePlace::Node read_node(std::size_t index, std::int64_t& tag) const;
  void read_size(std::size_t index, MergePlace::Node& node) const;
  void read_way(std::size_t index, MergePlace::Node& node);
  void make_tags_dense(const std::vector<std::int64_t>& tags);
  void keep_program(const std::vector<std::uint32_t>& order);
  [[nodiscard]] bool has_step(std::uint32_t index, const MergePlace::Node& node, std::int32_t chunks,
                              std::vector<std::int64_t>& out) const;

  const Trace& trace_;
  std::uint32_t places_;
  MergePlace place_;
};

Graph PlaceReader::sound_graph() const {
  std::vector<GraphDefect> defects;
  Graph graph = build_graph(trace_.nodes, &defects);
  for (const GraphDefect& d : defects) {
    if (d.what == GraphDefect::What::duplicate_edge) continue;
    throw bad_node(trace_, d.index,
                   d.what == GraphDefect::What::duplicate_id
                       ? "another node has its id"
                       : "depends on node " + std::to_string(d.id) + ", which does not exist or is itself");
  }
  if (topological_order(graph).size() != trace_.nodes.nodes.size())
    throw input_error({.file = trace_.name}, "dependency cycle; run et-validate to find it", "merge");
  return graph;
}

MergePlace PlaceReader::read() {
  const NodeTable& table = trace_.nodes;
  if (table.nodes.empty())
    throw input_error({.file = trace_.name}, "the trace of an algorithm has no nodes", "merge");
  const Graph graph = sound_graph();
  std::vector<std::uint32_t> order(table.nodes.size());  // by id
  std::iota(order.begin(), order.end(), 0U);
  const auto by_id = [&](std::uint32_t a, std::uint32_t b) { return table.nodes[a].id < table.nodes[b].id; };
  if (!std::is_sorted(order.begin(), order.end(), by_id)) std::sort(order.begin(), order.end(), by_id);
  std::vector<std::uint32_t> position(order.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) position[order[k]] = k;

  place_.number = trace_.rank;
  place_.nodes.reserve(order.size());
  std::vector<std::int64_t> tags(order.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) {
    const std::uint32_t i = order[k];
    MergePlace::Node node = read_node(i, tags[k]);
    const std::string_view name = table.name(table.nodes[i]);
    node.name = {place_.text.size(), static_cast<std::uint32_t>(name.size())};
    place_.text += name;
    const auto add = [&](DepKind kind, Range& range) {
      range.begin = static_cast<std::uint32_t>(place_.deps.size());
      for (const Edge& e : graph.parents(i)) {
        if (e.kind == kind) place_.deps.push_back(position[e.node]);
      }
      range.count = static_cast<std::uint32_t>(place_.deps.size()) - range.begin;
    };
    add(DepKind::data, node.data_deps);
    add(DepKind::control, node.ctrl_deps);
    node.root = graph.parents(i).empty();
    if (node.type == NodeType::comm_send) {
      read_way(i, node);
      node.net = net_of(trace_, i, named_net);
      node.net_to = net_of(trace_, i, named_net_to);
    }
    if (graph.children(i).empty()) place_.sinks.push_back(k);
    place_.nodes.push_back(node);
  }
  make_tags_dense(tags);
  keep_program(order);
  return std::move(place_);
}

MergePlace::Node PlaceReader::read_node(std::size_t index, std::int64_t& tag) const {
  const Node& from = trace_.nodes.nodes[index];
  MergePlace::Node node{.type = from.type, .duration_us = from.duration_us};
  node.duration_ns = integer_or(trace_, index, attr::duration_nanos, -1);
  if (from.type == NodeType::comm_send || from.type == NodeType::comm_recv) {
    const Name peer_name = from.type == NodeType::comm_send ? attr::comm_dst : attr::comm_src;
    const std::int64_t peer = integer_or(trace_, index, peer_name, -1);
    if (peer < 0 || peer >= std::int64_t{places_} || peer == trace_.rank) {
      throw bad_node(
          trace_, index,
          std::string(peer_name.view()) + " must be another of the " + std::to_string(places_) + " ranks");
    }
    node.peer = static_cast<std::uint32_t>(peer);
    tag = integer_or(trace_, index, attr::comm_tag, 0);
  } else if (from.type != NodeType::comp) {
    throw bad_node(trace_, index,
                   "an algorithm consists of sends, receives and computations, not of " +
                       std::string(node_type_name(from.type)));
  }
  read_size(index, node);
  return node;
}

// Reads either the chunks, whose bytes scale with the collective, or a fixed size.
void PlaceReader::read_size(std::size_t index, MergePlace::Node& node) const {
  const auto of_step = [&](Name name) {
    const std::int64_t value = integer_or(trace_, index, name, -1);
    return value >= 0 && value <= INT32_MAX ? static_cast<std::int32_t>(value) : -1;
  };
  node.tb = of_step(attr::tb_id);
  node.position = of_step(attr::local_time_step);
  const auto small = [&](Name name) {
    const std::int64_t value = integer_or(trace_, index, name, 0);
    if (value < 0 || value > INT32_MAX)
      throw bad_node(trace_, index, std::string(name.view()) + " is out of range");
    return static_cast<std::int32_t>(value);
  };
  if (node.type == NodeType::comp) {
    const auto attrs = trace_.nodes.attributes(trace_.nodes.nodes[index]);
    const auto& metadata = trace_.metadata.table.attrs;
    node.bytes = integer_or(trace_, index, attr::tensor_size, -1);
    node.num_ops = integer_or(trace_, index, attr::num_ops, -1);
    node.chunks = small(attr::chunk_cnt);
    const IntValue total = int_value(metadata, msccl::nchunksperloop);
    const bool counted = node.chunks > 0 && total && total.value > 0 && total.value <= INT32_MAX;
    node.of_chunks = counted ? static_cast<std::int32_t>(total.value) : 0;
    const auto type = string_value(trace_.nodes, attrs, attr::step_type);
    const bool copies = type && (*type == "cpy" || *type == msccl::copy_step);
    node.touched = find(metadata, ten::schedule_name) != nullptr ? 1 : copies ? 2 : 3;  // as in lowering
    return;
  }
  node.bytes = integer_or(trace_, index, attr::comm_size, -1);
  node.chunks = small(attr::msg_chunk_cnt);
  node.of_chunks = small(attr::total_chunk_cnt);
  if (node.chunks > 0 && node.of_chunks > 0) return;
  node.chunks = node.of_chunks = 0;
  if (node.bytes <= 0) throw bad_node(trace_, index, "a message needs comm_size or chunk counts");
}

void PlaceReader::read_way(std::size_t index, MergePlace::Node& node) {
  const auto way = link_way(trace_.nodes, trace_.nodes.attributes(trace_.nodes.nodes[index]));
  if (!way) return;
  if (!way->problem.empty()) throw bad_node(trace_, index, way->problem);
  node.way = {static_cast<std::uint32_t>(place_.links.size()), static_cast<std::uint32_t>(way->turns.size())};
  for (std::size_t hop = 0; hop < way->turns.size(); ++hop)
    place_.links.push_back({way->turns[hop], hop < way->via.size() ? way->via[hop] : 0});
}

void PlaceReader::make_tags_dense(const std::vector<std::int64_t>& tags) {
  std::map<std::pair<NodeType, std::uint32_t>, std::vector<std::int64_t>> seen;  // by direction and peer
  for (std::size_t k = 0; k < tags.size(); ++k) {
    if (place_.nodes[k].type == NodeType::comp) continue;
    auto& list = seen[{place_.nodes[k].type, place_.nodes[k].peer}];
    if (list.empty() || list.back() != tags[k]) list.push_back(tags[k]);
  }
  for (auto& [key, list] : seen) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    place_.tags = std::max(place_.tags, static_cast<std::uint32_t>(list.size()));
  }
  for (std::size_t k = 0; k < tags.size(); ++k) {
    MergePlace::Node& n = place_.nodes[k];
    if (n.type == NodeType::comp) continue;
    const auto& list = seen[{n.type, n.peer}];
    n.tag = static_cast<std::uint32_t>(std::lower_bound(list.begin(), list.end(), tags[k]) - list.begin());
  }
}

// Appends the numbers of a node's step. Returns false if a message has no step attributes, or its step has another
// number of chunks.
bool PlaceReader::has_step(std::uint32_t index, const MergePlace::Node& node, std::int32_t chunks,
                           std::vector<std::int64_t>& out) const {
  const bool message = node.type != NodeType::comp;
  if (find(trace_.nodes.attributes(trace_.nodes.nodes[index]), attr::step_type) == nullptr) {
    out.push_back(-1);
    out.resize(out.size() + merged::step_numbers - 1);
    return !message;
  }
  const Step s = parse_step(trace_, index);
  if (message && (node.of_chunks != chunks || node.chunks != s.cnt)) return false;
  out.insert(out.end(), {static_cast<std::int64_t>(s.type), static_cast<std::int64_t>(s.src_buf), s.src_off,
                         static_cast<std::int64_t>(s.dst_buf), s.dst_off, s.cnt});
  return true;
}

void PlaceReader::keep_program(const std::vector<std::uint32_t>& order) {
  Algorithm header;
  Gpu gpu;
  std::vector<std::int64_t> steps;
  try {
    if (!read_header(trace_, header, gpu)) return;
    for (std::uint32_t k = 0; k < order.size(); ++k) {
      if (!has_step(order[k], place_.nodes[k], header.chunks, steps)) return;
    }
  } catch (const Error&) {  // et-validate reports the defect
    return;
  }
  const AttrTable& metadata = trace_.metadata.table;
  for (const Name name : {msccl::coll, msccl::proto, msccl::nchunksperloop, msccl::ngpus, msccl::inplace,
                          msccl::outofplace, msccl::i_chunks, msccl::o_chunks, msccl::s_chunks, msccl::copy_i_off,
                          msccl::copy_o_off, ten::schedule_name}) {
    if (const Attr* const a = find(metadata.attrs, name)) place_.program.add_copy(metadata, *a);
  }
  place_.program.add_int(Name(merged::place), Kind::int32_val, place_.number);
  place_.program.add_ints(Name(merged::steps), Kind::int32_list, steps);
}

}  // namespace

void write_route(const MergePlace& place, const MergePlace::Node& send, bool has_ways,
                 std::optional<std::uint64_t> scope, NodeTable& out) {
  if (send.net >= 0) out.add_int(named_net, Kind::int32_val, send.net);
  if (send.net_to >= 0) out.add_int(named_net_to, Kind::int32_val, send.net_to);
  if (!has_ways || send.way.count == 0) return;
  std::vector<std::int64_t> list;
  const std::span links(place.links.data() + send.way.begin, send.way.count);
  for (const MergePlace::Link& l : links) list.push_back(l.turn);
  out.add_ints(attr::link_seq, Kind::int64_list, list);
  if (scope) out.add_int(attr::link_scope, Kind::uint64_val, static_cast<std::int64_t>(*scope));
  if (links.size() == 1) return;
  list.clear();
  for (const MergePlace::Link& l : links.first(links.size() - 1)) list.push_back(l.to);
  out.add_ints(attr::link_via, Kind::int32_list, list);
}

MergePlace read_merge_place(const Trace& trace, std::uint32_t places) { return PlaceReader(trace, places).read(); }

}  // namespace convert
