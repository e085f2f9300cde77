// SPDX-License-Identifier: MIT
// Chakra execution trace of one NPU in memory, lossless, in flat tables.
//
// Nodes, dependencies, attributes and text are stored in a few arrays per trace, without an allocation per node. A
// trace takes about 24 bytes per attribute and 100 per node, and a cleared trace is refilled without allocating.
// Tables grow at their ends. A pass may edit nodes and attributes in place, but must not move what ranges refer to.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/attr_names.h"
#include "core/collective.h"
#include "core/diagnostic.h"
#include "core/name.h"

namespace convert {

using NodeId = std::uint64_t;
using Rank = std::uint32_t;
// The highest rank and tag of a message: comm_src, comm_dst and comm_tag are int32 in most traces.
inline constexpr Rank largest_rank = 0x7fffffff;
inline constexpr std::int64_t largest_tag = 0x7fffffff;
// Marks a missing index into a table.
inline constexpr std::uint32_t no_index = 0xffffffff;

// proto enum NodeType. Other numbers are kept as they are.
enum class NodeType : std::int32_t {
  invalid = 0,
  metadata = 1,
  mem_load = 2,
  mem_store = 3,
  comp = 4,
  comm_send = 5,
  comm_recv = 6,
  comm_coll = 7,
};
// Returns "COMM_SEND_NODE"; empty for a number that is not in the schema.
[[nodiscard]] std::string_view node_type_name(NodeType type);

// The member of AttributeProto's oneof that is set, by its field number. Scalars are odd, and the list of a scalar
// is its number + 1.
enum class Kind : std::uint8_t {
  none = 0,
  double_val = 3,
  double_list,
  float_val,
  float_list,
  int32_val,
  int32_list,
  int64_val,
  int64_list,
  uint32_val,
  uint32_list,
  uint64_val,
  uint64_list,
  sint32_val,
  sint32_list,
  sint64_val,
  sint64_list,
  fixed32_val,
  fixed32_list,
  fixed64_val,
  fixed64_list,
  sfixed32_val,
  sfixed32_list,
  sfixed64_val,
  sfixed64_list,
  bool_val,
  bool_list,
  string_val,
  string_list,
  bytes_val,
  bytes_list,
};
[[nodiscard]] std::string_view kind_name(Kind kind);  // "int64_val"; "none"
// Returns the kind of the elements of a list.
[[nodiscard]] constexpr Kind scalar_of(Kind list) { return static_cast<Kind>(static_cast<int>(list) - 1); }
[[nodiscard]] constexpr bool is_list(Kind k) { return k != Kind::none && (static_cast<int>(k) & 1) == 0; }
[[nodiscard]] constexpr bool is_text(Kind k) { return k >= Kind::string_val; }
[[nodiscard]] constexpr bool is_integer(Kind k) {  // scalar integers and bool
  return !is_list(k) && k >= Kind::int32_val && k <= Kind::bool_val;
}

// A piece of TextPool::text.
struct Text {
  std::uint64_t offset = 0;
  std::uint32_t size = 0;
};
// Pool of texts, stored consecutively.
struct TextPool {
  std::string text;

  Text add_text(std::string_view s) {
    const Text t{text.size(), static_cast<std::uint32_t>(s.size())};
    text.append(s);
    return t;
  }
  [[nodiscard]] std::string_view view(Text t) const { return std::string_view(text).substr(t.offset, t.size); }
};

// One attribute. `bits` holds by kind:
//   integers and bool: the value sign- or zero-extended to 64 bits;  double, float: its bit pattern;
//   string, bytes: offset into text, `size` bytes;
//   numeric lists: index into numbers (each element as a scalar's bits), `size` elements;
//   string and bytes lists: index into texts, `size` elements.
struct Attr {
  Name name;
  Kind kind = Kind::none;
  std::uint32_t size = 0;
  std::uint32_t extra = 0;  // 1 + index into AttrTable::extras; 0: none
  std::uint64_t bits = 0;
};

// Rare parts of a message, kept byte for byte so that nothing is lost.
struct Extra {
  Text doc_string;    // AttributeProto.doc_string
  Text unknown;       // unknown fields of the attribute, node or metadata message, as encoded
  Text list_unknown;  // unknown fields of an attribute's list message
};

struct Range {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
};

// Attributes and their storage.
class AttrTable : public TextPool {
 public:
  using TextPool::view;
  std::vector<Attr> attrs;
  std::vector<std::uint64_t> numbers;
  std::vector<Text> texts;
  std::vector<Extra> extras;

  void clear();

  void add_int(Name name, Kind kind, std::int64_t value) {
    attrs.push_back({.name = name, .kind = kind, .bits = static_cast<std::uint64_t>(value)});
  }
  void add_bool(Name name, bool value) { add_int(name, Kind::bool_val, value ? 1 : 0); }
  void add_double(Name name, double value);
  // Adds a copy of `a`, which belongs to `from`.
  void add_copy(const AttrTable& from, const Attr& a);
  void add_string(Name name, std::string_view value) {
    const Text t = add_text(value);
    attrs.push_back({.name = name, .kind = Kind::string_val, .size = t.size, .bits = t.offset});
  }
  void add_ints(Name name, Kind list_kind, std::span<const std::int64_t> values);
  void add_strings(Name name, std::span<const std::string> values);

  // Copies an extra of `from`, given as 1 + index, and returns 1 + its index here; 0 for 0.
  [[nodiscard]] std::uint32_t add_extra(const AttrTable& from, std::uint32_t index);

  [[nodiscard]] std::span<const Attr> view(Range r) const { return {attrs.data() + r.begin, r.count}; }
  // Returns the value of a string or bytes attribute.
  [[nodiscard]] std::string_view string(const Attr& a) const { return view(Text{a.bits, a.size}); }
  // Returns the elements of a numeric list, each as a scalar's bits.
  [[nodiscard]] std::span<const std::uint64_t> list(const Attr& a) const {
    return {numbers.data() + a.bits, a.size};
  }
  // Returns the elements of a string or bytes list.
  [[nodiscard]] std::span<const Text> string_list(const Attr& a) const { return {texts.data() + a.bits, a.size}; }
};

// Returns the first attribute with that name, as other tools do, or null.
[[nodiscard]] inline const Attr* find(std::span<const Attr> attrs, Name name) {
  for (const Attr& a : attrs) {
    if (a.name == name) return &a;
  }
  return nullptr;
}

// Value of an attribute of an integer kind or bool. wrong_kind: the attribute has another kind. too_large: 2^63 or
// more.
struct IntValue {
  enum class Status : std::uint8_t { absent, ok, wrong_kind, too_large };
  Status status = Status::absent;
  std::int64_t value = 0;
  [[nodiscard]] explicit operator bool() const { return status == Status::ok; }
};
// Return the value of an attribute (absent if it is null), or of the first attribute with a name.
[[nodiscard]] IntValue int_value(const Attr* attr);
[[nodiscard]] inline IntValue int_value(std::span<const Attr> attrs, Name name) {
  return int_value(find(attrs, name));
}
// Returns the string, or nothing if the attribute is absent or of another kind.
[[nodiscard]] std::optional<std::string_view> string_value(const AttrTable& table, std::span<const Attr> attrs,
                                                           Name name);

// Returns whether two values are equal: integers of any kind by value, others by kind and content. Names are
// ignored.
[[nodiscard]] bool same_value(const AttrTable& table_a, const Attr& a, const AttrTable& table_b, const Attr& b);

// Chakra IOInfo.
struct IoInfo {
  Text values;
  Text shapes;
  Text types;
  Text unknown;
};

struct Node {
  NodeId id = 0;
  Text name;
  NodeType type = NodeType::invalid;
  Range data_deps;  // into NodeTable::deps, as written: may dangle
  Range ctrl_deps;
  Range attrs;
  std::uint64_t start_us = 0;
  std::uint64_t duration_us = 0;
  std::uint32_t inputs = 0;  // 1 + index into NodeTable::io; 0: absent
  std::uint32_t outputs = 0;
  std::uint32_t extra = 0;  // 1 + index into extras (unknown fields); 0: none
};

class NodeTable : public AttrTable {
 public:
  using AttrTable::add_copy;
  std::vector<Node> nodes;
  std::vector<NodeId> deps;
  std::vector<IoInfo> io;
  // Position of each node in its file: byte offsets, or line numbers of a text format. Empty if unknown.
  std::vector<std::uint64_t> positions;
  bool positions_are_lines = false;

  void clear();
  // Appends the other table's nodes. Both tables have positions, or neither. Throws Error(input) if the trace
  // exceeds 32-bit table indices.
  void append(const NodeTable& other);
  // Appends an unchanged copy of a node of the other table, with everything that belongs to it.
  Node& add_copy(const NodeTable& from, const Node& node);
  // Begins a node with the name and times of a node of another table. end_copy() copies that node's inputs, outputs
  // and unknown fields, and ends the new node.
  Node& begin_copy(const NodeTable& from, const Node& node, NodeId id, NodeType type);
  void end_copy(const NodeTable& from, const Node& node);
  // Copies inputs or outputs of `from`, given as 1 + index, and returns 1 + their index here; 0 for 0.
  [[nodiscard]] std::uint32_t add_io(const NodeTable& from, std::uint32_t index);

  // Building a node takes three steps. add_node; then add_data_dep, add_ctrl_dep and add_… attributes, for this
  // node only and one kind of list at a time, since they are ranges; then end_node, which closes its attribute
  // range.
  Node& add_node(NodeId id, NodeType type, std::string_view name) {
    Node& n = nodes.emplace_back();
    n.id = id;
    n.type = type;
    n.name = add_text(name);
    n.attrs.begin = static_cast<std::uint32_t>(attrs.size());
    return n;
  }
  void add_data_dep(NodeId parent) { add_dep(nodes.back().data_deps, parent); }
  void add_ctrl_dep(NodeId parent) { add_dep(nodes.back().ctrl_deps, parent); }
  // Throws Error(input) if a trace exceeds 32-bit table indices.
  void end_node() {
    Node& n = nodes.back();
    n.attrs.count = static_cast<std::uint32_t>(attrs.size() - n.attrs.begin);
    constexpr std::size_t limit = std::numeric_limits<std::uint32_t>::max();
    if (attrs.size() >= limit || deps.size() >= limit || nodes.size() >= limit) too_large();
  }

  [[nodiscard]] std::string_view name(const Node& n) const { return view(n.name); }
  [[nodiscard]] std::span<const Attr> attributes(const Node& n) const { return view(n.attrs); }
  [[nodiscard]] std::span<const NodeId> data_deps(const Node& n) const {
    return {deps.data() + n.data_deps.begin, n.data_deps.count};
  }
  [[nodiscard]] std::span<const NodeId> ctrl_deps(const Node& n) const {
    return {deps.data() + n.ctrl_deps.begin, n.ctrl_deps.count};
  }

 private:
  void add_dep(Range& range, NodeId parent) {
    if (range.count == 0) range.begin = static_cast<std::uint32_t>(deps.size());
    deps.push_back(parent);
    ++range.count;
  }
  [[noreturn]] static void too_large();
};

// GlobalMetadata. Its attributes have their own table, so nodes can be streamed independently.
struct Metadata {
  AttrTable table;      // table.attrs are all attributes of the metadata
  std::string version;  // "0.0.4" in what we write
  std::string unknown;  // unknown fields, as encoded
};
inline constexpr std::string_view schema_version = "0.0.4";

struct Trace {
  Rank rank = 0;
  std::string name;  // for messages: "ring.3.et"
  Metadata metadata;
  NodeTable nodes;
};

// Returns the location of node `index` of the trace, for messages.
[[nodiscard]] Location location_of(const Trace& trace, std::size_t index);

}  // namespace convert
