// SPDX-License-Identifier: MIT
#include "core/trace.h"

#include <algorithm>
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
  static constexpr std::array<std::string_view, 30> names = {
      "double_val",  "double_list",  "float_val",    "float_list",    "int32_val",    "int32_list",
      "int64_val",   "int64_list",   "uint32_val",   "uint32_list",   "uint64_val",   "uint64_list",
      "sint32_val",  "sint32_list",  "sint64_val",   "sint64_list",   "fixed32_val",  "fixed32_list",
      "fixed64_val", "fixed64_list", "sfixed32_val", "sfixed32_list", "sfixed64_val", "sfixed64_list",
      "bool_val",    "bool_list",    "string_val",   "string_list",   "bytes_val",    "bytes_list"};
  if (kind == Kind::none) return "none";
  const auto i = static_cast<std::size_t>(kind) - static_cast<std::size_t>(Kind::double_val);
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

std::uint32_t AttrTable::add_extra(const AttrTable& from, std::uint32_t index) {
  if (index == 0) return 0;
  const Extra& e = from.extras[index - 1];
  extras.push_back(
      {add_text(from.view(e.doc_string)), add_text(from.view(e.unknown)), add_text(from.view(e.list_unknown))});
  return static_cast<std::uint32_t>(extras.size());
}

void AttrTable::add_copy(const AttrTable& from, const Attr& a) {
  Attr copy = a;
  copy.extra = add_extra(from, a.extra);
  if (is_text(a.kind) && is_list(a.kind)) {
    copy.bits = texts.size();
    for (const Text t : from.string_list(a)) texts.push_back(add_text(from.view(t)));
  } else if (is_text(a.kind)) {
    copy.bits = add_text(from.string(a)).offset;
  } else if (is_list(a.kind)) {
    copy.bits = numbers.size();
    const auto list = from.list(a);
    numbers.insert(numbers.end(), list.begin(), list.end());
  }
  attrs.push_back(copy);
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

bool same_value(const AttrTable& table_a, const Attr& a, const AttrTable& table_b, const Attr& b) {
  const IntValue first = int_value(&a), second = int_value(&b);
  if (first && second) return first.value == second.value;
  if (a.kind != b.kind || a.size != b.size) return false;
  if (a.kind == Kind::string_val || a.kind == Kind::bytes_val) return table_a.string(a) == table_b.string(b);
  if (!is_list(a.kind)) return a.bits == b.bits;
  if (!is_text(a.kind)) return std::ranges::equal(table_a.list(a), table_b.list(b));
  return std::ranges::equal(table_a.string_list(a), table_b.string_list(b),
                            [&](Text x, Text y) { return table_a.view(x) == table_b.view(y); });
}

void NodeTable::clear() {
  AttrTable::clear();
  nodes.clear();
  deps.clear();
  io.clear();
  positions.clear();
}

namespace {

template <typename T, typename Change>
void append_each(std::vector<T>& to, const std::vector<T>& from, const Change& change) {
  const std::size_t begin = to.size();
  to.resize(begin + from.size());
  std::transform(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(begin), change);
}

}  // namespace

void NodeTable::append(const NodeTable& other) {
  const std::uint64_t text_base = text.size();
  const std::uint64_t number_base = numbers.size();
  const std::uint64_t texts_base = texts.size();
  const auto attr_base = static_cast<std::uint32_t>(attrs.size());
  const auto dep_base = static_cast<std::uint32_t>(deps.size());
  const auto io_base = static_cast<std::uint32_t>(io.size());
  const auto extra_base = static_cast<std::uint32_t>(extras.size());
  constexpr std::size_t limit = std::numeric_limits<std::uint32_t>::max();
  if (attrs.size() + other.attrs.size() >= limit || deps.size() + other.deps.size() >= limit ||
      nodes.size() + other.nodes.size() >= limit) {
    too_large();
  }
  const auto moved = [&](Text t) { return Text{t.offset + text_base, t.size}; };
  const auto moved_index = [](std::uint32_t index, std::uint32_t base) { return index == 0 ? 0 : index + base; };
  text += other.text;
  numbers.insert(numbers.end(), other.numbers.begin(), other.numbers.end());
  deps.insert(deps.end(), other.deps.begin(), other.deps.end());
  append_each(texts, other.texts, moved);
  append_each(io, other.io, [&](const IoInfo& i) {
    return IoInfo{moved(i.values), moved(i.shapes), moved(i.types), moved(i.unknown)};
  });
  append_each(extras, other.extras, [&](const Extra& e) {
    return Extra{moved(e.doc_string), moved(e.unknown), moved(e.list_unknown)};
  });
  append_each(attrs, other.attrs, [&](Attr a) {
    a.extra = moved_index(a.extra, extra_base);
    if (is_text(a.kind)) {
      a.bits += is_list(a.kind) ? texts_base : text_base;
    } else if (is_list(a.kind)) {
      a.bits += number_base;
    }
    return a;
  });
  append_each(nodes, other.nodes, [&](Node n) {
    n.name = moved(n.name);
    n.data_deps.begin += dep_base;
    n.ctrl_deps.begin += dep_base;
    n.attrs.begin += attr_base;
    n.inputs = moved_index(n.inputs, io_base);
    n.outputs = moved_index(n.outputs, io_base);
    n.extra = moved_index(n.extra, extra_base);
    return n;
  });
  positions.insert(positions.end(), other.positions.begin(), other.positions.end());
}

std::uint32_t NodeTable::add_io(const NodeTable& from, std::uint32_t index) {
  if (index == 0) return 0;
  const IoInfo& i = from.io[index - 1];
  io.push_back({add_text(from.view(i.values)), add_text(from.view(i.shapes)), add_text(from.view(i.types)),
                add_text(from.view(i.unknown))});
  return static_cast<std::uint32_t>(io.size());
}

Node& NodeTable::begin_copy(const NodeTable& from, const Node& node, NodeId id, NodeType type) {
  Node& n = add_node(id, type, from.name(node));
  n.start_us = node.start_us;
  n.duration_us = node.duration_us;
  return n;
}

void NodeTable::end_copy(const NodeTable& from, const Node& node) {
  Node& n = nodes.back();
  n.inputs = add_io(from, node.inputs);
  n.outputs = add_io(from, node.outputs);
  n.extra = add_extra(from, node.extra);
  end_node();
}

Node& NodeTable::add_copy(const NodeTable& from, const Node& node) {
  Node& n = begin_copy(from, node, node.id, node.type);
  for (const NodeId id : from.data_deps(node)) add_data_dep(id);
  for (const NodeId id : from.ctrl_deps(node)) add_ctrl_dep(id);
  for (const Attr& a : from.attributes(node)) add_copy(from, a);
  end_copy(from, node);
  return n;
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

}  // namespace convert
