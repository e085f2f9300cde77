// SPDX-License-Identifier: MIT
// Format linked: a PyTorch trace, linked or not, as the JSON that MLCommons Chakra's trace_link writes and its
// converter reads.
#include <bit>
#include <memory>
#include <string>
#include <utility>

#include "formats/format.h"
#include "formats/pytorch/linked_text.h"
#include "util/json_writer.h"

namespace convert {
namespace {

constexpr std::size_t field_depth = 3;

bool is_own_field(Name name) {
  return name == attr::inclusive_dur || name == attr::exclusive_dur || name == attr::ts ||
         name == attr::inter_thread_dep || name == attr::sync_dep || name == attr::cat || name == attr::ph;
}

std::string_view type_of(const Attr& a) {
  if (a.name == attr::rf_id || a.name == attr::fw_parent || a.name == attr::scope || a.name == attr::tid ||
      a.name == attr::fw_tid)
    return "uint64";
  switch (a.kind) {
    case Kind::uint64_val: return "uint64";
    case Kind::string_val: return "string";
    case Kind::double_val: return "double";
    case Kind::bool_val: return "bool";
    default: return is_list(a.kind) ? "list" : "int64";
  }
}

class LinkedWriter final : public TraceWriter {
 public:
  void begin_rank(const Trace& head, std::size_t ordinal, bool /*many*/, std::string& out) override {
    if (ordinal != 0) throw usage_error("a linked PyTorch trace holds one rank; choose one with --ranks");
    file_ = head.name;
    any_node_ = false;
    strides_ = false;
    tail_.clear();
    out += '{';
    // PyTorch writes finish_ts and the members that follow it after the nodes.
    bool any = false, behind = false;
    const AttrTable& table = head.metadata.table;
    for (const Attr& a : table.attrs) {
      behind = behind || a.name == attr::finish_ts;
      if (a.name == attr::schema && a.kind == Kind::string_val) strides_ = table.string(a).starts_with("1.1.1");
      std::string& to = behind ? tail_ : out;
      if (behind || any) to += ',';
      any = any || !behind;
      append_line(to, 1);
      append_key(a.name.view(), to);
      append_value(table, a, 1, to);
    }
    if (any) out += ',';
    append_line(out, 1);
    out += "\"nodes\": [";
  }

  void nodes(const Trace& batch, std::string& out) override {
    for (const Node& node : batch.nodes.nodes) {
      if (std::exchange(any_node_, true)) out += ',';
      append_node(batch.nodes, node, out);
    }
  }

  void end_rank(std::string& out) override {
    if (any_node_) append_line(out, 1);
    out += ']';
    out += tail_;
    append_line(out, 0);
    out += '}';
  }

 private:
  [[nodiscard]] Error no_pytorch(const Node& node, const std::string& what) const {
    return input_error({.file = file_, .node = static_cast<std::int64_t>(node.id)},
                       "node " + std::to_string(node.id) + " is not from a PyTorch trace: " + what +
                           "; et-link --compat chakra -t linked writes a linked trace");
  }

  void append_key(std::string_view key, std::string& out) {
    append_ascii_json(key, out);
    out += ": ";
  }
  void begin_field(std::string_view key, std::size_t depth, std::string& out) {
    append_line(out, depth);
    append_key(key, out);
  }
  void next_field(std::string_view key, std::size_t depth, std::string& out) {
    out += ',';
    begin_field(key, depth, out);
  }

  void append_value(const AttrTable& table, const Attr& a, std::size_t depth, std::string& out) {
    switch (a.kind) {
      case Kind::string_val: append_ascii_json(table.string(a), out); return;
      case Kind::double_val: append_json_float(std::bit_cast<double>(a.bits), out); return;
      case Kind::bool_val: out += a.bits != 0 ? "true" : "false"; return;
      case Kind::uint64_val: append_json_number(out, a.bits); return;
      case Kind::int64_list:
      case Kind::string_list: {
        out += '[';
        for (std::uint32_t i = 0; i < a.size; ++i) {
          if (i != 0) out += ',';
          append_line(out, depth + 1);
          if (a.kind == Kind::int64_list) {
            append_json_number(out, static_cast<std::int64_t>(table.list(a)[i]));
          } else {
            append_ascii_json(table.view(table.string_list(a)[i]), out);
          }
        }
        if (a.size != 0) append_line(out, depth);
        out += ']';
        return;
      }
      default: {
        const IntValue value = int_value(&a);
        if (!value) {
          throw input_error({.file = file_}, "attribute '" + std::string(a.name.view()) + "' is a " +
                                                 std::string(kind_name(a.kind)) +
                                                 ", which PyTorch traces do not have");
        }
        append_json_number(out, value.value);
      }
    }
  }

  void append_node(const NodeTable& table, const Node& node, std::string& out) {
    append_line(out, field_depth - 1);
    out += '{';
    begin_field("id", field_depth, out);
    append_json_number(out, node.id);
    next_field("name", field_depth, out);
    append_ascii_json(table.name(node), out);
    if (node.ctrl_deps.count != 1) throw no_pytorch(node, "it does not have exactly one caller");
    next_field("ctrl_deps", field_depth, out);
    append_json_number(out, table.ctrl_deps(node).front());
    append_io(table, node, node.inputs, "inputs", attr::input_strides, out);
    append_io(table, node, node.outputs, "outputs", attr::output_strides, out);
    append_attrs(table, node, out);
    append_line(out, field_depth - 1);
    out += '}';
  }

  void append_io(const NodeTable& table, const Node& node, std::uint32_t index, std::string_view key, Name strides,
                 std::string& out) {
    if (index == 0) throw no_pytorch(node, "it has no " + std::string(key));
    const IoInfo& io = table.io[index - 1];
    next_field(key, field_depth, out);
    out += '{';
    append_python(node, "values", table.view(io.values), out);
    out += ',';
    append_python(node, "shapes", table.view(io.shapes), out);
    out += ',';
    append_python(node, "types", table.view(io.types), out);
    const auto given = string_value(table, table.attributes(node), strides);
    if (given || strides_) {
      out += ',';
      append_python(node, "strides", given.value_or("[]"), out);
    }
    append_line(out, field_depth);
    out += '}';
  }

  void append_python(const Node& node, std::string_view key, std::string_view text, std::string& out) {
    begin_field(key, field_depth + 1, out);
    if (!append_json_of_python(text, field_depth + 1, out))
      throw no_pytorch(node,
                       "its " + std::string(key) + " are not the text of a Python value, or are nested too deeply");
  }

  // Writes the "attrs" of a node, followed by the fields that linking adds to the node.
  void append_attrs(const NodeTable& table, const Node& node, std::string& out) {
    const auto attrs = table.attributes(node);
    std::size_t own = 0;
    while (own < attrs.size() && !is_own_field(attrs[own].name)) ++own;
    next_field("attrs", field_depth, out);
    out += '[';
    bool any = false;
    for (const Attr& a : attrs.first(own)) {
      if (a.name == attr::input_strides || a.name == attr::output_strides) continue;
      if (std::exchange(any, true)) out += ',';
      append_attr(table, a, out);
    }
    if (any) append_line(out, field_depth);
    out += ']';
    for (std::size_t i = own; i < attrs.size(); ++i) {
      const Attr& a = attrs[i];
      if (a.name == attr::input_strides || a.name == attr::output_strides) continue;
      next_field(a.name.view(), field_depth, out);
      append_value(table, a, field_depth, out);
      const Name next = i + 1 < attrs.size() ? attrs[i + 1].name : Name();
      append_null_behind(a.name, next, attr::ts, attr::inter_thread_dep, out);
      append_null_behind(a.name, next, attr::ph, attr::stream, out);
    }
  }

  // Writes null for a field that is always present, though mostly without a value.
  void append_null_behind(Name name, Name next, Name behind, Name field, std::string& out) {
    if (name != behind || next == field) return;
    next_field(field.view(), field_depth, out);
    out += "null";
  }

  void append_attr(const NodeTable& table, const Attr& a, std::string& out) {
    append_line(out, field_depth + 1);
    out += '{';
    begin_field("name", field_depth + 2, out);
    append_ascii_json(a.name.view(), out);
    next_field("type", field_depth + 2, out);
    append_ascii_json(type_of(a), out);
    next_field("value", field_depth + 2, out);
    append_value(table, a, field_depth + 2, out);
    append_line(out, field_depth + 1);
    out += '}';
  }

  std::string file_;
  std::string tail_;      // members after the nodes
  bool strides_ = false;  // the schema always has strides
  bool any_node_ = false;
};

std::unique_ptr<TraceWriter> write(const FormatOptions& /*options*/) { return std::make_unique<LinkedWriter>(); }

}  // namespace

extern const Format linked_format;
const Format linked_format = {
    .name = "linked",
    .summary = "PyTorch trace linked with its device trace, as JSON",
    .write = write,
};

}  // namespace convert
