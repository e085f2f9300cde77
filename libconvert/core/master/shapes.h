// SPDX-License-Identifier: MIT
// The fixed part of a node: its type, its number of dependencies and its attributes. Nodes of one shape differ only
// in values.
#pragma once

#include <cstdint>
#include <vector>

#include "core/index_table.h"
#include "core/name.h"
#include "core/trace.h"

namespace convert {

// Shape of a node, or of a trace's metadata.
struct NodeShape {
  struct Attribute {
    Name name;
    Kind kind = Kind::none;
    bool extra = false;      // has an Extra
    std::uint32_t size = 0;  // number of elements of a list
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

// Meaning of a value of a shape. Values of one field, in the order of nodes, are similar.
struct ShapeField {
  enum class Of : std::uint8_t {
    id,  // minus the id of the preceding node
    name,
    start,
    duration,
    data_dep,  // the node's id minus the id of its dependency
    ctrl_dep,
    value,   // of an attribute, or an element of its list
    rest,    // doc_string, unknown fields, unknown fields of the list
    inputs,  // values, shapes, types, unknown fields
    outputs,
    unknown,  // the three texts of an Extra
    version,  // of metadata, and its unknown fields
  };
  Of of = Of::id;
  Kind kind = Kind::none;  // kind of the value, as a scalar
  Name name{};             // of the attribute
  std::uint8_t part = 0;   // index among several texts
  friend bool operator==(const ShapeField&, const ShapeField&) = default;

  [[nodiscard]] bool is_text() const {
    return of == Of::value ? convert::is_text(kind) : of == Of::name || of >= Of::rest;
  }
};

// Set of distinct shapes, numbered from 0.
class ShapeSet {
 public:
  std::uint32_t add(const NodeShape& shape);
  [[nodiscard]] const NodeShape& operator[](std::uint32_t i) const { return shapes_[i]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(shapes_.size()); }

  // Returns the number of values of a shape. Their order is ShapeField::Of, then attribute by attribute.
  [[nodiscard]] static std::uint64_t value_count(const NodeShape& shape);
  // Returns the index of an attribute's first value among the values of a shape; no_index if it has none.
  [[nodiscard]] static std::uint32_t value_of(const NodeShape& shape, Name attribute);
  // Calls visit(const ShapeField&, count) for each run of consecutive values of one field.
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
