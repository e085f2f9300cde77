// SPDX-License-Identifier: MIT
#include "core/trace.h"

#include <array>
#include <bit>

namespace convert {

std::string_view node_type_name(NodeType type) {
  static constexpr std::array<std::string_view, 8> names = {"INVALID_NODE",   "METADATA_NODE", "MEM_LOAD_NODE",
                                                            "MEM_STORE_NODE", "COMP_NODE",     "COMM_SEND_NODE",
                                                            "COMM_RECV_NODE", "COMM_COLL_NODE"};
  const auto i = static_cast<std::uint32_t>(type);
  return i < names.size() ? names[i] : std::string_view{};
}

std::string_view kind_name(Kind kind) {
  static constexpr std::array<std::string_view, 33> names = {"none",
                                                             "",
                                                             "",
                                                             "double_val",
                                                             "double_list",
                                                             "float_val",
                                                             "float_list",
                                                             "int32_val",
                                                             "int32_list",
                                                             "int64_val",
                                                             "int64_list",
                                                             "uint32_val",
                                                             "uint32_list",
                                                             "uint64_val",
                                                             "uint64_list",
                                                             "sint32_val",
                                                             "sint32_list",
                                                             "sint64_val",
                                                             "sint64_list",
                                                             "fixed32_val",
                                                             "fixed32_list",
                                                             "fixed64_val",
                                                             "fixed64_list",
                                                             "sfixed32_val",
                                                             "sfixed32_list",
                                                             "sfixed64_val",
                                                             "sfixed64_list",
                                                             "bool_val",
                                                             "bool_list",
                                                             "string_val",
                                                             "string_list",
                                                             "bytes_val",
                                                             "bytes_list"};
  const auto i = static_cast<std::size_t>(kind);
  return i < names.size() ? names[i] : std::string_view{};
}

void AttrTable::clear() {
  attrs.clear();
  numbers.clear();
  texts.clear();
  extras.clear();
  text.clear();
}

void AttrTable::add_double(Name name, double value) {
  attrs.push_back({.name = name, .kind = Kind::double_val, .bits = std::bit_cast<std::uint64_t>(value)});
}

void AttrTable::add_ints(Name name, Kind list_kind, std::span<const std::int64_t> values) {
  attrs.push_back(
      {.name = name, .kind = list_kind, .size = static_cast<std::uint32_t>(values.size()), .bits = numbers.size()});
  for (const std::int64_t v : values) numbers.push_back(static_cast<std::uint64_t>(v));
}

void AttrTable::add_strings(Name name, std::span<const std::string> values) {
  attrs.push_back({.name = name,
                   .kind = Kind::string_list,
                   .size = static_cast<std::uint32_t>(values.size()),
                   .bits = texts.size()});
  for (const std::string& v : values) texts.push_back(add_text(v));
}

IntValue int_value(const Attr* attr) {
  using Status = IntValue::Status;
  if (attr == nullptr) return {};
  if (!is_integer(attr->kind)) return {Status::wrong_kind, 0};
  const auto value = static_cast<std::int64_t>(attr->bits);
  const bool is_unsigned_64 = attr->kind == Kind::uint64_val || attr->kind == Kind::fixed64_val;
  if (is_unsigned_64 && value < 0) return {Status::too_large, 0};
  return {Status::ok, value};
}

std::optional<std::string_view> string_value(const AttrTable& table, std::span<const Attr> attrs, Name name) {
  const Attr* a = find(attrs, name);
  if (a == nullptr || a->kind != Kind::string_val) return std::nullopt;
  return table.string(*a);
}

void NodeTable::clear() {
  AttrTable::clear();
  nodes.clear();
  deps.clear();
  io.clear();
  positions.clear();
}

Location location_of(const Trace& trace, std::size_t index) {
  Location where{.file = trace.name, .rank = static_cast<std::int64_t>(trace.rank)};
  where.node = static_cast<std::int64_t>(trace.nodes.nodes[index].id);
  if (index < trace.nodes.positions.size()) {
    const std::uint64_t position = trace.nodes.positions[index];
    if (trace.nodes.positions_are_lines) {
      where.line = static_cast<std::uint32_t>(position);
    } else {
      where.offset = static_cast<std::int64_t>(position);
    }
  }
  return where;
}

void NodeTable::too_large() {
  throw input_error({}, "more than 4294967294 nodes, dependencies or attributes in one trace");
}

std::uint64_t duration_nanos(const NodeTable& table, const Node& node) {
  const IntValue exact = int_value(table.attributes(node), attr::duration_nanos);
  if (exact && exact.value >= 0) return static_cast<std::uint64_t>(exact.value);
  return node.duration_us * 1000;
}

}  // namespace convert
