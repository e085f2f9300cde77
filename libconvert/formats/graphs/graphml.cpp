// SPDX-License-Identifier: MIT
// Format graphml, write only: one flat graph, because most readers do not support nested graphs. Nodes have a rank.
#include "formats/format.h"
#include "formats/graphs/drawing.h"
#include "util/utf8.h"

namespace convert {
namespace {

using drawing::DrawnNames;
using drawing::DrawnNode;
using drawing::DrawnParent;
using drawing::DrawnRank;
using drawing::Writer;

constexpr drawing::PlainText plain_xml("&<>\"");

// Writes text of an element. Replaces what XML 1.0 cannot represent: control characters become \xNN; bytes that are
// not UTF-8 and the two noncharacters U+FFFE and U+FFFF become U+FFFD. C1 controls, which terminals execute, become
// character references.
void append_xml(std::string_view s, Writer& out) {
  drawing::write_escaped(s, plain_xml, out, [&](std::string_view character) {
    if (is_c1_control(character)) {
      out << "&#";
      drawing::append_hex(static_cast<unsigned char>(character[1]), out);
      out << ';';
      return;
    }
    if (character.size() != 1) {
      const bool legal = !character.empty() && character != "\xEF\xBF\xBE" && character != "\xEF\xBF\xBF";
      out << (legal ? character : drawing::replacement);
      return;
    }
    switch (character[0]) {
      case '&': out << "&amp;"; break;
      case '<': out << "&lt;"; break;
      case '>': out << "&gt;"; break;
      case '"': out << "&quot;"; break;
      case '\t': out << "&#9;"; break;
      case '\n': out << "&#10;"; break;
      case '\r': out << "&#13;"; break;
      default: out << '\\'; drawing::append_hex(static_cast<unsigned char>(character[0]), out);
    }
  });
}

constexpr std::array number_keys = {attr::comm_src, attr::comm_dst,    attr::comm_tag,     attr::comm_size,
                                    attr::num_ops,  attr::tensor_size, attr::msg_chunk_cnt};

constexpr std::string_view head =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
    " xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
    "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n";

std::string_view kind_text(DepKind kind) { return kind == DepKind::data ? "data" : "control"; }

class GraphmlWriter {
 public:
  GraphmlWriter(const drawing::Drawing& drawing, Output& output)
      : drawing_(drawing), out_(output), many_(drawing.ranks.size() > 1) {}

  void write() {
    out_ << head;
    write_keys();
    out_ << "<graph id=\"trace\" edgedefault=\"directed\">\n";
    for (const DrawnRank& r : drawing_.ranks) write_rank(r);
    write_messages();
    out_ << "</graph>\n</graphml>\n";
    out_.flush();
  }

 private:
  void write_key(std::string_view id, std::string_view type, std::string_view of = "node") {
    out_ << "<key id=\"" << id << "\" for=\"" << of << "\" attr.name=\"" << id << "\" attr.type=\"" << type
         << "\"/>\n";
  }
  void write_keys() {
    write_key("id", "long");
    write_key("rank", "int");
    write_key("name", "string");
    write_key("type", "string");
    write_key("start_us", "long");
    write_key("duration_ns", "long");
    write_key("is_cpu_op", "boolean");
    write_key("comm_type", "string");
    for (const Name key : number_keys) write_key(key.view(), "long");
    write_key("pg_name", "string");
    write_key("kind", "string", "edge");
  }

  template <typename Key, typename T>
  void write_data(const Key& key, const T& value) {
    out_ << "<data key=\"" << key << "\">" << value << "</data>";
  }
  template <typename Key>
  void write_text(const Key& key, std::string_view text) {
    out_ << "<data key=\"" << key << "\">";
    append_xml(text, out_);
    out_ << "</data>";
  }

  void write_rank(const DrawnRank& r) {
    const DrawnNames names(r, many_);
    r.for_each_node([&](const DrawnNode& node) { write_node(r, names, node); });
    for (const NodeId id : r.missing) {
      out_ << "<node id=\"";
      names.append_missing(id, out_);
      out_ << "\">";
      write_data("id", id);
      write_data("rank", r.rank);
      write_data("type", "missing");
      out_ << "</node>\n";
    }
    drawing::DependencyReader dependencies(r);
    for (std::uint32_t i = 0; i < r.size(); ++i) {
      const auto parents = dependencies.next_parents();
      if (parents.empty()) continue;
      const drawing::DrawnName name(names, i);
      for (const DrawnParent& p : parents) {
        out_ << "<edge source=\"";
        names.append(p, out_);
        end_edge(name.view(), kind_text(p.kind));
      }
    }
    for (const GraphDefect& d : r.broken) {
      out_ << "<edge source=\"";
      names.append_parent(d, out_);
      end_edge(drawing::DrawnName(names, d.index).view(), kind_text(d.kind));
    }
  }

  void end_edge(std::string_view to, std::string_view kind) {
    out_ << "\" target=\"" << to << "\"><data key=\"kind\">" << kind << "</data></edge>\n";
  }

  void write_node(const DrawnRank& r, const DrawnNames& names, const DrawnNode& node) {
    out_ << "<node id=\"";
    names.append(node.index, out_);
    out_ << "\">";
    write_data("id", node.id);
    write_data("rank", r.rank);
    write_text("name", node.name);
    const std::string_view type = node_type_name(node.type);
    if (!type.empty()) {
      write_data("type", type);
    } else {
      write_data("type", static_cast<std::int32_t>(node.type));
    }
    if (node.start_us != 0) write_data("start_us", node.start_us);
    write_facts(node);
    out_ << "</node>\n";
  }

  void write_facts(const DrawnNode& node) {
    const auto nanos = node[attr::duration_nanos];
    if (nanos && *nanos >= 0) {
      write_data("duration_ns", *nanos);
    } else if (node.duration_us != 0) {
      write_data("duration_ns", std::to_string(node.duration_us) + "000");
    }
    if (const auto v = node[attr::is_cpu_op]) write_data("is_cpu_op", *v != 0 ? "true" : "false");
    if (node.type == NodeType::comm_coll) {
      const auto [collective, name] = drawing::collective_of(node);
      if (!name.empty()) {
        write_data("comm_type", name);
      } else if (collective) {
        write_data("comm_type", *collective);
      }
    }
    for (const Name key : number_keys) {
      if (const auto v = node[key]) write_data(key.view(), *v);
    }
    if (node.group) write_text("pg_name", *node.group);
  }

  void write_messages() {
    const auto end = [&](std::string_view receiver) { end_edge(receiver, "message"); };
    drawing::write_messages(
        drawing_, out_, [&] { out_ << "<edge source=\""; }, end);
  }

  const drawing::Drawing& drawing_;
  Writer out_;
  bool many_;
};

void write_graphml(const drawing::Drawing& drawing, const FormatOptions& /*options*/, Output& output) {
  GraphmlWriter(drawing, output).write();
}

}  // namespace

extern const Format graphml_format;
const Format graphml_format = {
    .name = "graphml",
    .summary = "GraphML: nodes with typed attributes, dependencies, and messages between ranks",
    .suffixes = {".graphml"},
    .write_drawing = write_graphml,
};

}  // namespace convert
