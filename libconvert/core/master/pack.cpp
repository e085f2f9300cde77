// SPDX-License-Identifier: MIT
#include "core/master/pack.h"

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

namespace convert {
namespace {

// Returns the number of a text that is its canonical form: "12", not "012".
std::optional<std::uint64_t> plain_number(std::string_view text) {
  if (text.empty() || text.size() > 18 || (text[0] == '0' && text.size() > 1)) return std::nullopt;
  std::uint64_t n = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    n = n * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return n;
}

// Returns whether the bits are valid for a scalar of this kind, as a reader would produce them.
bool fits_kind(Kind scalar, std::uint64_t bits) {
  switch (scalar) {
    case Kind::int32_val:
    case Kind::sint32_val:
    case Kind::sfixed32_val:
      return static_cast<std::int64_t>(bits) == static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
    case Kind::uint32_val:
    case Kind::fixed32_val:
    case Kind::float_val: return bits <= std::numeric_limits<std::uint32_t>::max();
    case Kind::bool_val: return bits <= 1;
    default: return true;
  }
}

}  // namespace

std::uint64_t packed_text(std::string_view text, TextSet& texts) {
  if (const auto n = plain_number(text)) return packed_number(*n);
  return std::uint64_t{2} * texts.add(text);
}

std::optional<std::string_view> unpacked_text(std::uint64_t value, const TextSet& texts, std::string& number) {
  if (value % 2 == 0) {
    if (value / 2 >= texts.size()) return std::nullopt;
    return texts[static_cast<std::uint32_t>(value / 2)];
  }
  if (value / 2 > largest_packed_number) return std::nullopt;
  number = std::to_string(value / 2);
  return number;
}

void Packer::attributes(const AttrTable& from, std::span<const Attr> attrs, PackedTrace& to) {
  for (const Attr& a : attrs) {
    shape_.attrs.push_back(
        {.name = a.name, .kind = a.kind, .extra = a.extra != 0, .size = is_list(a.kind) ? a.size : 0});
    if (a.kind == Kind::none) {
    } else if (is_text(a.kind)) {
      if (is_list(a.kind)) {
        for (const Text t : from.string_list(a)) text(from.view(t), to);
      } else {
        text(from.string(a), to);
      }
    } else if (is_list(a.kind)) {
      const auto list = from.list(a);
      to.values.insert(to.values.end(), list.begin(), list.end());
    } else {
      to.values.push_back(a.bits);
    }
    extra(from, a.extra, to);
  }
}

void Packer::extra(const AttrTable& from, std::uint32_t index, PackedTrace& to) {
  if (index == 0) return;
  const Extra& e = from.extras[index - 1];
  for (const Text t : {e.doc_string, e.unknown, e.list_unknown}) text(from.view(t), to);
}

void Packer::io(const NodeTable& from, std::uint32_t index, PackedTrace& to) {
  if (index == 0) return;
  const IoInfo& i = from.io[index - 1];
  for (const Text t : {i.values, i.shapes, i.types, i.unknown}) text(from.view(t), to);
}

void Packer::metadata(const Metadata& from, PackedTrace& to) {
  shape_ = {};
  shape_.metadata = true;
  text(from.version, to);
  text(from.unknown, to);
  attributes(from.table, from.table.attrs, to);
  to.shapes.push_back(shapes_.add(shape_));
  last_id_ = 0;
}

void Packer::nodes(const NodeTable& from, PackedTrace& to) {
  for (const Node& n : from.nodes) {
    shape_.metadata = false;
    shape_.type = n.type;
    shape_.data_deps = n.data_deps.count;
    shape_.ctrl_deps = n.ctrl_deps.count;
    shape_.inputs = n.inputs != 0;
    shape_.outputs = n.outputs != 0;
    shape_.extra = n.extra != 0;
    shape_.attrs.clear();
    to.values.push_back(n.id - last_id_);
    last_id_ = n.id;
    text(from.name(n), to);
    to.values.push_back(n.start_us);
    to.values.push_back(n.duration_us);
    for (const NodeId dep : from.data_deps(n)) to.values.push_back(n.id - dep);
    for (const NodeId dep : from.ctrl_deps(n)) to.values.push_back(n.id - dep);
    attributes(from, from.attributes(n), to);
    io(from, n.inputs, to);
    io(from, n.outputs, to);
    extra(from, n.extra, to);
    to.shapes.push_back(shapes_.add(shape_));
  }
}

Error Unpacker::damaged(std::string_view what) const {
  return input_error({.file = std::string(file_)},
                     "damaged class-compressed set: rank " + std::to_string(rank_) + " has " + std::string(what),
                     "master");
}

Text Unpacker::text(std::uint64_t value, TextPool& to) const {
  std::string number;
  const auto found = unpacked_text(value, texts_, number);
  if (!found) throw damaged(value % 2 == 0 ? "an undefined text" : "too long a number");
  return to.add_text(*found);
}

const std::uint64_t* Unpacker::attribute(const NodeShape::Attribute& a, const std::uint64_t* values,
                                         AttrTable& to) const {
  Attr attr{.name = a.name, .kind = a.kind};
  if (a.kind == Kind::none) {
  } else if (is_list(a.kind)) {
    attr.size = a.size;
    const Kind scalar = scalar_of(a.kind);
    attr.bits = is_text(scalar) ? to.texts.size() : to.numbers.size();
    for (std::uint32_t i = 0; i < a.size; ++i, ++values) {
      if (is_text(scalar)) {
        to.texts.push_back(text(*values, to));
        continue;
      }
      if (!fits_kind(scalar, *values)) throw damaged("a number out of the range of its type");
      to.numbers.push_back(*values);
    }
  } else if (is_text(a.kind)) {
    const Text t = text(*values++, to);
    attr.size = t.size;
    attr.bits = t.offset;
  } else {
    if (!fits_kind(a.kind, *values)) throw damaged("a number out of the range of its type");
    attr.bits = *values++;
  }
  if (a.extra) {
    attr.extra = extra(values, to);
    values += 3;
  }
  to.attrs.push_back(attr);
  return values;
}

std::uint32_t Unpacker::extra(const std::uint64_t* values, AttrTable& to) const {
  const Text doc = text(values[0], to), unknown = text(values[1], to), list = text(values[2], to);
  to.extras.push_back({doc, unknown, list});
  return static_cast<std::uint32_t>(to.extras.size());
}

std::uint32_t Unpacker::io(const std::uint64_t* values, NodeTable& to) const {
  const Text all = text(values[0], to), shapes = text(values[1], to), types = text(values[2], to);
  to.io.push_back({all, shapes, types, text(values[3], to)});
  return static_cast<std::uint32_t>(to.io.size());
}

const std::uint64_t* Unpacker::metadata(const NodeShape& shape, const std::uint64_t* values, Metadata& to) const {
  to.table.clear();
  TextPool pool;
  to.version = pool.view(text(*values++, pool));
  to.unknown = pool.view(text(*values++, pool));
  for (const NodeShape::Attribute& a : shape.attrs) values = attribute(a, values, to.table);
  return values;
}

const std::uint64_t* Unpacker::node(const NodeShape& shape, const std::uint64_t* values, NodeId before,
                                    NodeTable& to) const {
  Node& n = to.nodes.emplace_back();
  n.id = before + values[0];
  n.type = shape.type;
  n.name = text(values[1], to);
  n.attrs.begin = static_cast<std::uint32_t>(to.attrs.size());
  n.start_us = values[2];
  n.duration_us = values[3];
  values += 4;
  for (std::uint32_t i = 0; i < shape.data_deps; ++i) to.add_data_dep(n.id - *values++);
  for (std::uint32_t i = 0; i < shape.ctrl_deps; ++i) to.add_ctrl_dep(n.id - *values++);
  for (const NodeShape::Attribute& a : shape.attrs) values = attribute(a, values, to);
  to.end_node();
  if (shape.inputs) {
    n.inputs = io(values, to);
    values += 4;
  }
  if (shape.outputs) {
    n.outputs = io(values, to);
    values += 4;
  }
  if (shape.extra) {
    n.extra = extra(values, to);
    values += 3;
  }
  return values;
}

}  // namespace convert
