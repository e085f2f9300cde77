// SPDX-License-Identifier: MIT
#include "generate/trace_builder.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/collective.h"

namespace convert {

TraceBuilder::TraceBuilder(Rank rank, NodeId first_id) : next_id_(first_id) {
  trace_.rank = rank;
  trace_.name = "rank " + std::to_string(rank);
  trace_.metadata.version = schema_version;
}

void TraceBuilder::end_node() {
  if (std::exchange(open_, false)) trace_.nodes.end_node();
}

NodeId TraceBuilder::add(NodeType type, std::string_view name, const Parents& after) {
  end_node();
  trace_.nodes.add_node(next_id_, type, name);
  for (const NodeId parent : after) trace_.nodes.add_data_dep(parent);
  open_ = true;
  return next_id_++;
}

NodeId TraceBuilder::compute(std::string_view name, std::uint64_t duration_ns, const Parents& after) {
  const NodeId id = add(NodeType::comp, name, after);
  duration_ns = noise_.time(duration_ns, trace_.rank, id, layer_);
  // Rounds to the nearest µs, but at least 1 for a positive time.
  const std::uint64_t us = duration_ns / 1000 + (duration_ns % 1000 >= 500 ? 1 : 0);
  trace_.nodes.nodes.back().duration_us = duration_ns == 0 ? 0 : std::max<std::uint64_t>(us, 1);
  trace_.nodes.add_bool(attr::is_cpu_op, false);
  if (duration_ns % 1000 != 0) set(attr::duration_nanos, static_cast<std::int64_t>(duration_ns), Kind::uint64_val);
  return id;
}

NodeId TraceBuilder::add_memory(NodeType type, std::string_view name, std::int64_t bytes, const Parents& after) {
  const NodeId id = add(type, name, after);
  trace_.nodes.add_bool(attr::is_cpu_op, false);
  set(attr::tensor_size, bytes, Kind::uint64_val);
  return id;
}

NodeId TraceBuilder::add_message(NodeType type, Rank peer, std::int64_t bytes, std::int64_t tag,
                                 const Parents& after) {
  const NodeId id = add(type, node_type_name(type), after);
  trace_.nodes.add_bool(attr::is_cpu_op, false);
  const bool sends = type == NodeType::comm_send;
  set(sends ? attr::comm_dst : attr::comm_src, peer, Kind::int32_val);
  set(sends ? attr::comm_src : attr::comm_dst, trace_.rank, Kind::int32_val);
  set(attr::comm_tag, tag, Kind::int32_val);
  set(attr::comm_size, bytes);
  return id;
}

NodeId TraceBuilder::collective(Collective type, std::int64_t bytes, const Parents& after, std::optional<Rank> root,
                                std::string_view group) {
  std::string text(name(type));
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'a' ? c - 'a' + 'A' : c; });
  const NodeId id = add(NodeType::comm_coll, text, after);
  trace_.nodes.add_bool(attr::is_cpu_op, false);
  set(attr::comm_type, static_cast<std::int64_t>(type));
  set(attr::comm_size, bytes);
  const bool from = comes_from_root(type);
  if (root) set(from ? attr::comm_src : attr::comm_dst, *root, Kind::int32_val);
  if (!group.empty()) set(attr::pg_name, group);
  return id;
}

TraceBuilder& TraceBuilder::set(Name name, std::int64_t value, Kind kind) {
  trace_.nodes.add_int(name, kind, value);
  return *this;
}

TraceBuilder& TraceBuilder::set(Name name, std::string_view value) {
  trace_.nodes.add_string(name, value);
  return *this;
}

Trace TraceBuilder::finish() {
  end_node();
  return std::exchange(trace_, {});
}

}  // namespace convert
