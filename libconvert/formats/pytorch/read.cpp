// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "formats/json/stream.h"
#include "formats/json/values.h"
#include "formats/kineto/kineto.h"
#include "formats/pytorch/node_fields.h"
#include "formats/pytorch/python_text.h"
#include "formats/pytorch/pytorch.h"
#include "util/huge_pages.h"

namespace convert {
namespace {

constexpr std::array<std::string_view, 7> known_schemas = {
    "1.0.1",
    "1.0.2-chakra.0.0.4",
    "1.0.3-chakra.0.0.4",
    "1.0.4-chakra.0.0.4",
    "1.1.0-chakra.0.0.4",
    "1.1.1-chakra.0.0.4",
    "1.1.1-chakra.1.0.0",
};

constexpr const char* is_device_trace =
    "is a Kineto trace (Chrome's format), not a PyTorch execution trace of the host; pass it as the device trace "
    "of a host trace";

// Returns an integer. Throws BadJson that names `what` if it is not an integer or out of range.
template <class T>
T integer(std::string_view token, std::string_view what) {
  T value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  const bool leading_zero = token.front() == '0' && token.size() > 1;
  if (error == std::errc() && end == token.data() + token.size() && !leading_zero) [[likely]]
    return value;
  check_json_scalar(token);
  if (is_json_string(token)) throw BadJson{token.data(), json_quoted(what) + " must be an integer"};
  return json_integer<T>(token, what);
}

// The integers that every node has are int64 in Chakra, whatever type the trace states.
bool is_usual_integer(Name name) {
  return name == attr::rf_id || name == attr::fw_parent || name == attr::seq_id || name == attr::scope ||
         name == attr::tid || name == attr::fw_tid;
}

// The begin of an attribute: {"name": "rf_id", "type": "uint64", "value": . The attributes of a node mostly have
// the same order and the same bytes as in the previous node.
struct AttrHead {
  std::string text;
  Name name;
  Kind kind = Kind::none;  // none: the kind of the value
  std::size_t tokens = 0;  // number of tokens in the text
};

class HostItems final : public JsonItems {
 public:
  explicit HostItems(Trace& to) : to_(to), nodes_(to.nodes) {}

  void member(std::string_view key, JsonCursor& in) override {
    if (key == "traceEvents") throw BadJson{in.here(), is_device_trace};
    AttrTable& table = to_.metadata.table;
    const AttrMark mark(table);
    try {
      if (key == "pid" || key == "start_ts" || key == "finish_ts") {
        table.add_int(Name(key), Kind::uint64_val,
                      static_cast<std::int64_t>(integer<std::uint64_t>(in.scalar(), key)));
      } else {
        add_json_attr(table, Name(key), in);
      }
    } catch (...) {
      mark.restore(table);
      throw;
    }
  }

  void element(JsonCursor& in) override {
    mark_ = AttrMark(nodes_);
    deps_mark_ = nodes_.deps.size();
    io_mark_ = nodes_.io.size();
    Node& node = nodes_.nodes.emplace_back();
    seen_ = 0;
    other_fields_.clear();
    node.type = NodeType::comp;
    node.attrs.begin = static_cast<std::uint32_t>(nodes_.attrs.size());
    const char* const start = in.here();
    in.object([&] {
      const std::string_view key = in.string();
      in.expect(':');
      read_field(key, in);
    });
    if ((seen_ & 1U) == 0) throw BadJson{start, "a node without 'id'"};
    nodes_.end_node();
  }

  void undo() override {
    nodes_.nodes.pop_back();
    nodes_.deps.resize(deps_mark_);
    nodes_.io.resize(io_mark_);
    mark_.restore(nodes_);
  }

 private:
  void read_field(std::string_view raw, JsonCursor& in) {
    std::string_view key = raw;
    const HostFieldName* field = find_host_field(key);
    if (field == nullptr && key.find('\\') != std::string_view::npos) {
      key = unescaped(raw, scratch_);
      field = find_host_field(key);
    }
    bool twice = false;
    if (field != nullptr) {
      const std::uint32_t bit = 1U << static_cast<unsigned>(field - host_field_names.data());
      twice = (seen_ & bit) != 0;
      seen_ |= bit;
      if (!twice) return read_known_field(*field, in);
    }
    const Name name(key);
    twice = twice || std::ranges::find(other_fields_, name) != other_fields_.end();
    if (twice) throw BadJson{raw.data() - 1, json_quoted(key) + " is given twice"};
    other_fields_.push_back(name);
    add_json_attr(nodes_, name, in);
  }

  void read_known_field(const HostFieldName& field, JsonCursor& in) {
    Node& node = nodes_.nodes.back();
    switch (field.field) {
      case HostField::id: node.id = integer<std::uint64_t>(in.scalar(), field.text); break;
      case HostField::name: node.name = text(in); break;
      case HostField::caller: {
        const auto add = [&] { nodes_.add_ctrl_dep(integer<std::uint64_t>(in.scalar(), field.text)); };
        in.peek() == '[' ? in.array(add) : add();
        break;
      }
      case HostField::inputs:
      case HostField::outputs: {
        std::uint32_t& index = field.field == HostField::inputs ? node.inputs : node.outputs;
        if (in.peek() == '{') {
          read_io(in, index, field.field == HostField::inputs);
        } else {
          io(index).values = python(in);
        }
        break;
      }
      case HostField::attrs: read_attrs(in); break;
      case HostField::input_shapes: io(node.inputs).shapes = python(in); break;
      case HostField::input_types: io(node.inputs).types = python(in); break;
      case HostField::output_shapes: io(node.outputs).shapes = python(in); break;
      case HostField::output_types: io(node.outputs).types = python(in); break;
      case HostField::integer:
      case HostField::null_if_none:
        if (in.peek() == 'n') {
          const std::string_view token = in.scalar();
          if (token != "null") throw BadJson{token.data(), "not a JSON value"};
        } else if (field.field == HostField::integer) {
          nodes_.add_int(field.name, Kind::int64_val, integer<std::int64_t>(in.scalar(), field.text));
        } else {
          add_json_attr(nodes_, field.name, in);
        }
    }
  }

  void read_io(JsonCursor& in, std::uint32_t& index, bool inputs) {
    constexpr std::array<std::string_view, 4> keys = {"values", "shapes", "types", "strides"};
    (void)io(index);
    unsigned seen = 0;
    in.object([&] {
      const std::string_view key = in.string();
      in.expect(':');
      const auto which = static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
      if (which < keys.size() && (seen >> which & 1U) != 0)
        throw BadJson{key.data() - 1, json_quoted(key) + " is given twice"};
      seen |= 1U << which;
      const Text t = python(in);
      switch (which) {
        case 0: io(index).values = t; break;
        case 1: io(index).shapes = t; break;
        case 2: io(index).types = t; break;
        default:
          if (which == 3 && t.size <= 2) break;  // []
          const Name name = which != 3
                                ? Name((inputs ? "input_" : "output_") + std::string(unescaped(key, scratch_)))
                            : inputs ? attr::input_strides
                                     : attr::output_strides;
          nodes_.attrs.push_back({.name = name, .kind = Kind::string_val, .size = t.size, .bits = t.offset});
      }
    });
  }

  void read_attrs(JsonCursor& in) {
    std::size_t position = 0;
    in.array([&] {
      if (position < heads_.size() && in.starts_with(heads_[position].text)) [[likely]] {
        const JsonCursor begin = in;
        const AttrMark mark(nodes_);
        in.skip_tokens(heads_[position].tokens);
        add_attr(heads_[position], in);
        if (!in.take('}')) [[unlikely]] {
          // The value is followed by more members.
          in = begin;
          mark.restore(nodes_);
          read_attr(in, position);
        }
      } else {
        read_attr(in, position);
      }
      ++position;
    });
  }

  // Reads {"name": …, "type": …, "value": …} in any order, and stores its begin.
  void read_attr(JsonCursor& in, std::size_t position) {
    const char* const begin = in.here();
    in.expect('{');
    AttrHead head;
    bool named = false, typed = false;
    bool usual = true;  // name, type, value
    std::optional<JsonCursor> value;
    std::vector<std::pair<std::string, JsonCursor>> others;
    do {
      const std::string_view key = in.string();
      in.expect(':');
      if ((key == "name" && named) || (key == "type" && typed) || (key == "value" && value)) {
        throw BadJson{key.data() - 1, json_quoted(key) + " is given twice"};
      }
      if (key == "name") {
        usual = usual && !named && !typed && !value;
        head.name = Name(unescaped(in.string(), scratch_));
        named = true;
      } else if (key == "type") {
        usual = usual && named && !typed && !value;
        const std::string_view type = in.string();
        head.kind = type == "uint64"   ? Kind::uint64_val
                    : type == "int64"  ? Kind::int64_val
                    : type == "string" ? Kind::string_val
                                       : Kind::none;
        typed = true;
      } else if (key == "value") {
        usual = usual && named && typed && !value;
        value = in;
        if (usual) head.text.assign(begin, static_cast<std::size_t>(in.here() - begin));
        (void)in.skip();
      } else {
        usual = false;
        others.emplace_back(unescaped(key, scratch_), in);
        (void)in.skip();
      }
    } while (in.take(','));
    in.expect('}');
    if (!named || !value) throw BadJson{begin, "an attribute without 'name' or 'value'"};
    if (is_usual_integer(head.name)) head.kind = Kind::int64_val;
    add_attr(head, *value);
    for (auto& [key, at] : others) add_json_attr(nodes_, Name(std::string(head.name.view()) + "." + key), at);
    if (usual) {
      head.tokens = 11;  // { "name" : "…" , "type" : "…" , "value" :
      if (position >= heads_.size() && heads_.size() < 64) heads_.resize(position + 1);
      if (position < heads_.size()) heads_[position] = std::move(head);
    }
  }

  void add_attr(const AttrHead& head, JsonCursor& in) {
    const char c = in.peek();
    if (head.kind == Kind::string_val && c == '"') {
      const Text t = text(in);
      nodes_.attrs.push_back({.name = head.name, .kind = Kind::string_val, .size = t.size, .bits = t.offset});
    } else if (head.kind == Kind::int64_val) {
      nodes_.add_int(head.name, Kind::int64_val, integer<std::int64_t>(in.scalar(), head.name.view()));
    } else if (head.kind == Kind::uint64_val && c != '-') {
      nodes_.add_int(head.name, Kind::uint64_val,
                     static_cast<std::int64_t>(integer<std::uint64_t>(in.scalar(), head.name.view())));
    } else {
      add_json_attr(nodes_, head.name, in);
    }
  }
  Text text(JsonCursor& in) { return nodes_.add_text(unescaped(in.string(), scratch_)); }

  Text python(JsonCursor& in) {
    const char* const begin = in.here();
    const std::string_view shown = buffer_.view(write_python_text(in, buffer_, buffer_.begin()));
    if (shown.size() > std::numeric_limits<std::uint32_t>::max()) {
      throw BadJson{begin, "the text of a value takes 4 GiB or more"};
    }
    return nodes_.add_text(shown);
  }

  IoInfo& io(std::uint32_t& index) {
    if (index == 0) {
      nodes_.io.emplace_back();
      index = static_cast<std::uint32_t>(nodes_.io.size());
    }
    return nodes_.io[index - 1];
  }

  Trace& to_;
  NodeTable& nodes_;
  AttrMark mark_;
  std::size_t deps_mark_ = 0, io_mark_ = 0;
  std::uint32_t seen_ = 0;          // bits of the host_field_names in the node
  std::vector<Name> other_fields_;  // names of the node's other fields
  std::vector<AttrHead> heads_;
  TextBuffer buffer_;
  std::string scratch_;
};

void check_schema(const Trace& trace, Diagnostics& diagnostics) {
  const AttrTable& table = trace.metadata.table;
  const auto schema = string_value(table, table.attrs, attr::schema);
  std::string known;
  for (const std::string_view s : known_schemas) {
    if (schema == s) return;
    known += (known.empty() ? "" : ", ") + std::string(s);
  }
  diagnostics.warning({.file = trace.name}, "schema",
                      (schema ? "schema " + json_quoted(*schema) + " is unknown" : "the schema is missing") +
                          "; nodes are read as in schema " + known);
}

// Reserves room for the usual maximum of a file of that size; untouched memory costs nothing.
void reserve_tables(NodeTable& nodes, std::size_t bytes) {
  try {
    reserve_huge(nodes.nodes, bytes / 512);
    reserve_huge(nodes.io, bytes / 256);
    reserve_huge(nodes.deps, bytes / 512);
    reserve_huge(nodes.attrs, bytes / 48);
    reserve_huge(nodes.text, bytes / 2);
  } catch (const std::bad_alloc&) {  // a sparse file
  } catch (const std::length_error&) {
  }
}

}  // namespace

Trace read_pytorch(Input& input, Rank rank, Diagnostics& diagnostics, std::size_t window_bytes) {
  if (sniff_kineto(input.peek(4096))) throw input_error({.file = input.name()}, is_device_trace);
  Trace trace;
  trace.rank = rank;
  trace.name = input.name();
  trace.metadata.version = schema_version;
  if (input.size()) reserve_tables(trace.nodes, static_cast<std::size_t>(*input.size()));
  JsonStream stream(input, "nodes", false, window_bytes);
  HostItems items(trace);
  stream.read_all_repaired(items, diagnostics);
  if (!stream.seen_array())
    throw input_error({.file = input.name()}, "has no 'nodes': it is not a PyTorch execution trace");
  check_schema(trace, diagnostics);
  return trace;
}

}  // namespace convert
