// SPDX-License-Identifier: MIT
#include "profile/learn/facts.h"

#include <algorithm>
#include <array>

#include "core/collective.h"
#include "core/element_type.h"
#include "core/found_attrs.h"
#include "core/time/recorded_time.h"
#include "graph/iteration_name.h"
#include "passes/scale/scale.h"

namespace convert {
namespace {

constexpr std::array cost_attrs = {attr::start_delay_nanos, attr::num_ops, attr::tensor_size};
constexpr std::array plain_attrs = {attr::is_cpu_op, attr::tensor_loc};
constexpr std::array comm_attrs = {attr::is_cpu_op,  attr::comm_type,     attr::comm_size,      attr::pg_name,
                                   attr::comm_src,   attr::comm_dst,      attr::comm_bytes_out, attr::group_size,
                                   attr::comm_dtype, attr::comm_priority, attr::involved_dim,   attr::send_splits,
                                   attr::recv_splits};
using Comm = FoundAttrs<comm_attrs>;

std::uint64_t count_of(const Attr* attribute) {
  const IntValue v = int_value(attribute);
  return v && v.value > 0 ? static_cast<std::uint64_t>(v.value) : 0;
}

std::int64_t value_of(const Attr* attribute, std::int64_t otherwise) {
  const IntValue v = int_value(attribute);
  return v && v.value >= 0 ? v.value : otherwise;
}

bool is_true(const Attr* attribute) {
  const IntValue v = int_value(attribute);
  return v && v.value != 0;
}

CommDetails details_of(const NodeTable& table, const Comm& found) {
  CommDetails d{.bytes_out = value_of(found[attr::comm_bytes_out], -1),
                .group_size = value_of(found[attr::group_size], -1),
                .priority = value_of(found[attr::comm_priority], -1)};
  if (const Attr* dims = found[attr::involved_dim]; dims != nullptr && dims->kind == Kind::bool_list) {
    for (const std::uint64_t used : table.list(*dims)) d.dims += used != 0 ? '1' : '0';
  }
  if (const Attr* dtype = found[attr::comm_dtype]; dtype != nullptr && dtype->kind == Kind::string_val) {
    const std::string_view name = table.string(*dtype);
    if (element_type(name)) d.dtype = name;
  }
  return d;
}

// Returns the rank that a collective comes from or goes to; -1 if it has none.
std::int64_t root_of(const Comm& found, std::int64_t collective) {
  const Collective op = collective_of(collective);
  if (!has_root(op)) return -1;
  const bool from = comes_from_root(op);
  return value_of(found[from ? attr::comm_src : attr::comm_dst], -1);
}

// Returns the sum of a list of bytes; -1 if the attribute is not such a list, or the sum exceeds 2^62.
std::int64_t sum_of(const NodeTable& table, const Attr& list) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  if (!is_list(list.kind) || list.kind < Kind::int32_list || list.kind > Kind::sfixed64_list) return -1;
  std::int64_t sum = 0;
  for (const std::uint64_t bits : table.list(list)) {
    const auto bytes = static_cast<std::int64_t>(bits);
    if (bytes < 0 || bytes > most - sum) return -1;
    sum += bytes;
  }
  return sum;
}

void read_splits(const NodeTable& table, const Comm& found, CallFacts& to) {
  const Attr *const sent = found[attr::send_splits], *const received = found[attr::recv_splits];
  if (sent == nullptr || received == nullptr || sent->size != received->size) return;
  to.sent = sum_of(table, *sent);
  to.received = sum_of(table, *received);
  if (to.sent >= 0 && to.received >= 0) to.parts = sent->size;
}

}  // namespace

NodeCost cost_of(const NodeTable& table, const Node& node) {
  const FoundAttrs<cost_attrs> found(table.attributes(node));
  const std::int64_t duration = recorded_time(table, node, 0).duration_ns;
  return {.duration_ns = duration > 0 ? static_cast<std::uint64_t>(duration) : 0,
          .delay_ns = count_of(found[attr::start_delay_nanos]),
          .operations = count_of(found[attr::num_ops]),
          .bytes = count_of(found[attr::tensor_size])};
}

ProfileClass plain_class(const NodeTable& table, const Node& node) {
  const FoundAttrs<plain_attrs> found(table.attributes(node));
  const std::int64_t location = value_of(found[attr::tensor_loc], -1);
  return {.type = node.type,
          .on_cpu = is_true(found[attr::is_cpu_op]),
          .location = location > 2 ? -1 : location,  // invalid memory
          .optimizer = node.type == NodeType::comp && is_optimizer(table.name(node))};
}

CallFacts call_facts(const NodeTable& table, const Node& node) {
  const Comm found(table.attributes(node));
  CallFacts out;
  ProfileClass& c = out.node_class;
  c.type = node.type;
  c.on_cpu = is_true(found[attr::is_cpu_op]);
  c.size = value_of(found[attr::comm_size], 0);
  c.details = details_of(table, found);
  if (node.type == NodeType::comm_coll) {
    c.collective = static_cast<std::int32_t>(value_of(found[attr::comm_type], -1));
    out.root = root_of(found, c.collective);
    const Attr* const group = found[attr::pg_name];
    if (group != nullptr && group->kind == Kind::string_val) out.group = table.string(*group);
    if (out.group == "0") out.group.clear();
    read_splits(table, found, out);
  } else {
    out.peer = value_of(found[node.type == NodeType::comm_send ? attr::comm_dst : attr::comm_src], -1);
  }
  return out;
}

std::int64_t message_tag(const NodeTable& table, const Node& node) {
  return value_of(find(table.attributes(node), attr::comm_tag), 0);
}

bool is_communication(const NodeTable& table, const Node& node) {
  if (node.type < NodeType::comm_send || node.type > NodeType::comm_coll) return false;
  const Comm found(table.attributes(node));
  if (node.type == NodeType::comm_coll) return value_of(found[attr::comm_type], -1) >= 0;
  const std::int64_t peer = value_of(found[node.type == NodeType::comm_send ? attr::comm_dst : attr::comm_src], -1);
  return peer >= 0 && peer <= static_cast<std::int64_t>(largest_rank);
}

std::string without_iteration(std::string_view name) {
  std::string out(name);
  if (const auto mark = iteration_in_name(name); mark && mark->digits > 0) out.replace(mark->at, mark->digits, "#");
  return out;
}

std::string without_numbers(std::string_view name) {
  std::string out;
  bool in_number = false;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit || !in_number) out += digit ? '#' : c;
    in_number = digit;
  }
  return out;
}

}  // namespace convert
