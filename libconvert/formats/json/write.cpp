// SPDX-License-Identifier: MIT
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/json/json.h"
#include "util/base64.h"
#include "util/json_writer.h"

namespace convert {
namespace {

// Appends a double or float; a NaN other than the default NaN keeps its bits.
template <typename T, typename Bits>
void append_floating(std::string& out, Bits bits) {
  const T value = std::bit_cast<T>(bits);
  if (!std::isnan(value) || bits == std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN())) {
    append_json_number(out, value);
    return;
  }
  std::array<char, 16> hex;
  const auto end = std::to_chars(hex.data(), hex.data() + hex.size(), bits, 16).ptr;
  out += "\"NaN:0x";
  out.append(hex.data(), end);
  out += '"';
}

// Appends an integer. Quotes it if a double cannot represent it, as protobuf's JSON does: jq and JavaScript would
// round it.
template <typename T>
void append_integer(std::string& out, T value) {
  constexpr T exact = T{1} << 53;
  bool quoted = value > exact;
  if constexpr (std::is_signed_v<T>) quoted = quoted || value < -exact;
  if (quoted) out += '"';
  append_json_number(out, value);
  if (quoted) out += '"';
}

void append_number(std::string& out, Kind scalar, std::uint64_t bits) {
  switch (scalar) {
    case Kind::double_val: append_floating<double>(out, bits); break;
    case Kind::float_val: append_floating<float>(out, static_cast<std::uint32_t>(bits)); break;
    case Kind::bool_val: out += bits != 0 ? "true" : "false"; break;
    case Kind::uint64_val:
    case Kind::fixed64_val: append_integer(out, bits); break;
    default: append_integer(out, static_cast<std::int64_t>(bits));
  }
}

void append_bytes(std::string& out, std::string_view bytes) {
  out += '"';
  append_base64(out, bytes);
  out += '"';
}

class JsonTraceWriter final : public TraceWriter {
 public:
  JsonTraceWriter(JsonLayout layout, bool flat) : lines_(layout == JsonLayout::lines), flat_(flat) {}

  bool take_groups(std::string_view json) override {
    const simdjson::padded_string text(json);
    std::string small(json.size(), '\0');
    std::size_t size = 0;
    if (simdjson::minify(text.data(), text.size(), small.data(), size) != simdjson::SUCCESS) return false;
    groups_ = small.substr(0, size);
    return true;
  }

  // Groups are a separate line or element before the ranks.
  void begin_set(bool many, std::string& out) override {
    if ((many || !groups_.empty()) && !lines_) out += "[\n";
    if (!groups_.empty()) out += "{\"groups\":" + groups_ + (lines_ ? "}\n" : "},\n");
  }

  void begin_rank(const Trace& head, std::size_t ordinal, bool many, std::string& out) override {
    head_ = {.file = head.name, .rank = static_cast<std::int64_t>(head.rank)};
    any_node_ = false;
    if (many && !lines_ && ordinal != 0) out += ",\n";
    out += "{\"rank\":" + std::to_string(head.rank);
    out += lines_ ? "," : ",\n ";
    out += "\"metadata\":{";
    what_ = "the metadata";
    begin_members();
    const Metadata& m = head.metadata;
    if (!m.version.empty()) text(out, "version", m.version);
    attributes(out, m.table, m.table.attrs);
    if (!m.unknown.empty()) append_bytes(key(out, "unknown"), m.unknown);
    out += lines_ ? "}}\n" : "},\n \"nodes\":[";
  }

  void nodes(const Trace& batch, std::string& out) override {
    for (std::size_t i = 0; i < batch.nodes.nodes.size(); ++i) {
      batch_ = &batch;
      index_ = i;
      what_.clear();
      begin_members();
      if (lines_) {
        out += '{';
        key(out, "rank") += std::to_string(batch.rank);
      } else {
        out += any_node_ ? ",\n  {" : "\n  {";
      }
      node(out, batch.nodes, batch.nodes.nodes[i]);
      out += lines_ ? "}\n" : "}";
      any_node_ = true;
    }
    batch_ = nullptr;
  }

  void end_rank(std::string& out) override {
    if (!lines_) out += any_node_ ? "\n ]}" : "]}";
  }

  void end_set(bool many, std::string& out) override {
    if (lines_) return;
    out += many || !groups_.empty() ? "\n]\n" : "\n";
  }

 private:
  void begin_members() { first_ = true; }

  std::string& key(std::string& out, std::string_view name) {
    if (!first_) out += ',';
    first_ = false;
    out += '"';
    out += name;
    out += "\":";
    return out;
  }

  [[noreturn]] void refuse(const std::string& part) const {
    const Location where = batch_ != nullptr ? location_of(*batch_, index_) : head_;
    const std::string owner = batch_ != nullptr ? "node " + std::to_string(batch_->nodes.nodes[index_].id) : what_;
    throw input_error(where, part + " of " + owner + " is not valid UTF-8; it cannot be written as JSON");
  }

  void text(std::string& out, std::string_view name, std::string_view value) {
    if (!append_json_string(key(out, name), value)) refuse(std::string(name));
  }

  void node(std::string& out, const NodeTable& t, const Node& n) {
    if (n.id != 0) append_integer(key(out, "id"), n.id);
    if (n.name.size != 0) text(out, "name", t.name(n));
    if (n.type != NodeType::invalid) {
      key(out, "type");
      const std::string_view name = node_type_name(n.type);
      if (name.empty()) {
        out += std::to_string(static_cast<std::int32_t>(n.type));
      } else {
        out += '"';
        out += name;
        out += '"';
      }
    }
    ids(out, "ctrl_deps", t.ctrl_deps(n));
    ids(out, "data_deps", t.data_deps(n));
    if (n.start_us != 0) append_integer(key(out, "start_time_micros"), n.start_us);
    if (n.duration_us != 0) append_integer(key(out, "duration_micros"), n.duration_us);
    if (n.inputs != 0) io(out, "inputs", t, t.io[n.inputs - 1]);
    if (n.outputs != 0) io(out, "outputs", t, t.io[n.outputs - 1]);
    attributes(out, t, t.attributes(n));
    if (n.extra != 0) append_bytes(key(out, "unknown"), t.view(t.extras[n.extra - 1].unknown));
  }

  void ids(std::string& out, std::string_view name, std::span<const NodeId> deps) {
    if (deps.empty()) return;
    key(out, name);
    char before = '[';
    for (const NodeId id : deps) {
      out += before;
      append_integer(out, id);
      before = ',';
    }
    out += ']';
  }

  void io(std::string& out, std::string_view name, const NodeTable& t, const IoInfo& info) {
    key(out, name) += '{';
    begin_members();
    if (info.values.size != 0) text(out, "values", t.view(info.values));
    if (info.shapes.size != 0) text(out, "shapes", t.view(info.shapes));
    if (info.types.size != 0) text(out, "types", t.view(info.types));
    if (info.unknown.size != 0) append_bytes(key(out, "unknown"), t.view(info.unknown));
    out += '}';
    first_ = false;
  }

  void attributes(std::string& out, const AttrTable& t, std::span<const Attr> attrs) {
    if (attrs.empty()) return;
    key(out, "attr");
    if (flat_) return flat_attributes(out, t, attrs);
    char before = '[';
    for (const Attr& a : attrs) {
      out += before;
      attribute(out, t, a);
      before = ',';
    }
    out += ']';
    first_ = false;
  }

  // Writes {"name":value,…}; of several attributes with one name, writes the last.
  void flat_attributes(std::string& out, const AttrTable& t, std::span<const Attr> attrs) {
    char before = '{';
    for (std::size_t i = 0; i < attrs.size(); ++i) {
      const Attr& a = attrs[i];
      const auto again = [&](const Attr& other) { return other.name == a.name; };
      if (std::ranges::any_of(attrs.subspan(i + 1), again)) continue;
      out += std::exchange(before, ',');
      if (!append_json_string(out, a.name.view())) refuse("an attribute name");
      out += ':';
      value(out, t, a);
    }
    out += '}';
    first_ = false;
  }

  void value(std::string& out, const AttrTable& t, const Attr& a) {
    if (a.kind == Kind::string_val) {
      if (!append_json_string(out, t.string(a))) refuse("attribute '" + label(a) + "'");
    } else if (a.kind == Kind::bytes_val) {
      append_bytes(out, t.string(a));
    } else if (is_list(a.kind)) {
      out += '[';
      elements(out, t, a);
      out += ']';
    } else if (a.kind != Kind::none) {
      append_number(out, a.kind, a.bits);
    } else {
      out += "null";
    }
  }

  // Returns {"name":"x" without the closing brace, or { for the empty name.
  const std::string& opening(Name name) {
    if (name.index() >= openings_.size()) openings_.resize(name.index() + std::size_t{1});
    std::string& s = openings_[name.index()];
    if (s.empty()) {
      std::string fresh = "{";
      if (name != Name()) {
        fresh += "\"name\":";
        if (!append_json_string(fresh, name.view())) refuse("an attribute name");
      }
      s = std::move(fresh);
    }
    return s;
  }

  void attribute(std::string& out, const AttrTable& t, const Attr& a) {
    out += opening(a.name);
    first_ = a.name == Name();
    const Extra extra = a.extra != 0 ? t.extras[a.extra - 1] : Extra{};
    if (extra.doc_string.size != 0) text(out, "doc_string", t.view(extra.doc_string));
    if (a.kind == Kind::string_val) {
      if (!append_json_string(key(out, "string_val"), t.string(a))) refuse("attribute '" + label(a) + "'");
    } else if (a.kind == Kind::bytes_val) {
      append_bytes(key(out, "bytes_val"), t.string(a));
    } else if (is_list(a.kind)) {
      list(out, t, a, t.view(extra.list_unknown));
    } else if (a.kind != Kind::none) {
      append_number(key(out, kind_name(a.kind)), a.kind, a.bits);
    }
    if (extra.unknown.size != 0) append_bytes(key(out, "unknown"), t.view(extra.unknown));
    out += '}';
  }

  void list(std::string& out, const AttrTable& t, const Attr& a, std::string_view unknown) {
    key(out, kind_name(a.kind)) += '{';
    first_ = true;
    if (a.size != 0) {
      key(out, "values") += '[';
      elements(out, t, a);
      out += ']';
    }
    if (!unknown.empty()) append_bytes(key(out, "unknown"), unknown);
    out += '}';
    first_ = false;
  }

  // Appends the values of a list, separated by commas.
  void elements(std::string& out, const AttrTable& t, const Attr& a) const {
    const Kind scalar = scalar_of(a.kind);
    for (std::uint32_t i = 0; i < a.size; ++i) {
      if (i != 0) out += ',';
      if (scalar == Kind::string_val) {
        if (!append_json_string(out, t.view(t.string_list(a)[i]))) refuse("attribute '" + label(a) + "'");
      } else if (scalar == Kind::bytes_val) {
        append_bytes(out, t.view(t.string_list(a)[i]));
      } else {
        append_number(out, scalar, t.list(a)[i]);
      }
    }
  }

  static std::string label(const Attr& a) { return std::string(a.name.view()); }

  bool lines_;
  bool flat_;
  std::string groups_;  // process groups of the set as JSON; empty: none
  bool any_node_ = false;
  bool first_ = true;  // the current object has no member yet
  Location head_;
  std::string what_;              // for messages: the metadata
  const Trace* batch_ = nullptr;  // or the node at index_, if set
  std::size_t index_ = 0;
  std::vector<std::string> openings_;  // by Name::index
};

}  // namespace

std::unique_ptr<TraceWriter> make_json_writer(JsonLayout layout, bool flat) {
  return std::make_unique<JsonTraceWriter>(layout, flat);
}

}  // namespace convert
