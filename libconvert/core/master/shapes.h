// SPDX-License-Identifier: MIT
// Describes what of a node has no value: its type, how many dependencies and which attributes it has. Nodes of one
// shape differ in values only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/index_table.h"
#include "core/name.h"
#include "core/trace.h"

namespace convert {

// A shape of a node, or of a trace's metadata.
struct NodeShape {
  struct Attribute {
    Name name;
    Kind kind = Kind::none;
    bool extra = false;      // has an Extra
    std::uint32_t size = 0;  // elements of a list
    friend bool operator==(const Attribute&, const Attribute&) = default;
  };
  bool metadata = false;
  NodeType type = NodeType::invalid;
  std::uint32_t data_deps = 0;
  std::uint32_t ctrl_deps = 0;
  bool inputs = false;
  bool outputs = false;
  bool extra = false;
  std::vector<Attribute> attrs;
  friend bool operator==(const NodeShape&, const NodeShape&) = default;
};

// What a value of a shape is: values of one field, in the order of nodes, are alike.
struct ShapeField {
  enum class Of : std::uint8_t {
    id,  // less that of the node before
    name,
    start,
    duration,
    data_dep,  // the node's id less that of the other
    ctrl_dep,
    value,   // of an attribute, or an element of its list
    rest,    // doc_string, unknown fields, unknown fields of the list
    inputs,  // values, shapes, types, unknown fields
    outputs,
    unknown,  // an extra's three texts
    version,  // of metadata; and its unknown fields
  };
  Of of = Of::id;
  Kind kind = Kind::none;  // of a value, as a scalar
  Name name{};             // of the attribute
  std::uint8_t part = 0;   // of several texts
  friend bool operator==(const ShapeField&, const ShapeField&) = default;

  [[nodiscard]] bool is_text() const {
    return of == Of::value ? convert::is_text(kind) : of == Of::name || of >= Of::rest;
  }
};

// Numbers shapes and fields from 0, and holds each once.
class ShapeSet {
 public:
  std::uint32_t add(const NodeShape& shape);
  [[nodiscard]] const NodeShape& operator[](std::uint32_t i) const { return shapes_[i]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(shapes_.size()); }

  // Returns how many values a shape has, in the order of ShapeField::Of, attribute by attribute.
  [[nodiscard]] static std::uint64_t value_count(const NodeShape& shape);
  // Returns where the first value of an attribute stands among those of a shape; no_index if there is none.
  [[nodiscard]] static std::uint32_t value_of(const NodeShape& shape, Name attribute);
  // Calls visit(const ShapeField&, count) for values of one field that stand one behind the other.
  template <class Visit>
  static void for_each_field(const NodeShape& shape, const Visit& visit);

 private:
  std::vector<NodeShape> shapes_;
  IndexTable<> index_;
};

template <class Visit>
void ShapeSet::for_each_field(const NodeShape& shape, const Visit& visit) {
  using Of = ShapeField::Of;
  const auto texts = [&](Of of, std::uint8_t parts, Name name = {}) {
    for (std::uint8_t part = 0; part < parts; ++part) visit(ShapeField{.of = of, .name = name, .part = part}, 1U);
  };
  if (shape.metadata) {
    texts(Of::version, 2);
  } else {
    for (const Of of : {Of::id, Of::name, Of::start, Of::duration}) visit(ShapeField{.of = of}, 1U);
    if (shape.data_deps > 0) visit(ShapeField{.of = Of::data_dep}, shape.data_deps);
    if (shape.ctrl_deps > 0) visit(ShapeField{.of = Of::ctrl_dep}, shape.ctrl_deps);
  }
  for (const NodeShape::Attribute& a : shape.attrs) {
    const Kind scalar = is_list(a.kind) ? scalar_of(a.kind) : a.kind;
    const std::uint32_t count = is_list(a.kind) ? a.size : a.kind == Kind::none ? 0 : 1;
    if (count > 0) visit(ShapeField{.of = Of::value, .kind = scalar, .name = a.name}, count);
    if (a.extra) texts(Of::rest, 3, a.name);
  }
  if (shape.inputs) texts(Of::inputs, 4);
  if (shape.outputs) texts(Of::outputs, 4);
  if (shape.extra) texts(Of::unknown, 3);
}

}  // namespace convert
