// SPDX-License-Identifier: MIT
// Graphviz dot, write only.
#include "formats/drawing.h"
#include "formats/format.h"
#include "util/utf8.h"

namespace convert {
namespace {

using drawing::DrawnRank;
using drawing::Facts;
using drawing::NodeNames;
using drawing::Writer;

// Graphviz refuses labels beyond 16 KiB, and nobody reads them.
std::string clip(std::string_view name) {
  constexpr std::size_t shown = 200;
  if (name.size() <= shown) return std::string(name);
  std::size_t end = shown;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return std::string(name.substr(0, end)) + "…";
}

constexpr drawing::PlainText plain("\"\\&");

// Text inside a quoted label. Backslashes are doubled, or dot would take \N for the node's name, and ampersands
// become entities, or dot would read "&lt;" as one. Other control characters than newline are shown as \xNN.
void append_escaped(std::string_view s, Writer& out) {
  for (std::size_t i = 0; i < s.size();) {
    const std::size_t run = plain.prefix(s.substr(i));
    out << s.substr(i, run);
    i += run;
    if (i == s.size()) return;
    const auto c = static_cast<unsigned char>(s[i]);
    const std::size_t length = c >= 0x80 ? sequence_length(s, i) : 1;
    if (length == 0) {
      out << drawing::replacement;
    } else if (c >= 0x80 || c == '&') {
      out << s.substr(i, length);
      if (c == '&') out << "amp;";
    } else if (c == '"' || c == '\\') {
      out << '\\' << s[i];
    } else if (c == '\n') {
      out << "\\n";
    } else {
      out << "\\\\";
      drawing::append_hex(c, out);
    }
    i += std::max<std::size_t>(length, 1);
  }
}

struct Look {
  std::string_view title;
  std::string_view style;
};

// By node type; the last one is for types that the schema does not know.
constexpr std::array<Look, 9> looks = {{
    {"INVALID", "shape=box fillcolor=\"#eeeeee\""},
    {"METADATA", "shape=note fillcolor=\"#eeeeee\""},
    {"MEM_LOAD", "shape=invhouse fillcolor=\"#e5d8f0\""},
    {"MEM_STORE", "shape=house fillcolor=\"#e5d8f0\""},
    {"COMP", "shape=box fillcolor=\"#fff2b3\""},
    {"COMM_SEND", "shape=trapezium fillcolor=\"#cfe5f8\""},
    {"COMM_RECV", "shape=invtrapezium fillcolor=\"#d5efcf\""},
    {"COMM_COLL", "shape=hexagon fillcolor=\"#fbd5c0\""},
    {"unknown type", "shape=octagon fillcolor=\"#ff9999\""},
}};

std::size_t look_of(NodeType type) {
  return std::min<std::size_t>(static_cast<std::uint32_t>(type), looks.size() - 1);
}

constexpr std::string_view data_style;
constexpr std::string_view control_style = " [style=dashed]";
constexpr std::string_view message_style = " [color=\"#d62728\" penwidth=1.5]";
constexpr std::string_view missing_style = "shape=box style=\"filled,dashed\" fillcolor=white color=\"#d62728\"";

std::string_view style_of(DepKind kind) { return kind == DepKind::data ? data_style : control_style; }

class DotWriter {
 public:
  DotWriter(const drawing::Drawing& drawing, Output& output)
      : drawing_(drawing), out_(output), many_(drawing.ranks.size() > 1) {}

  void write() {
    out_ << "digraph trace {\n  graph [fontname=\"sans-serif\"];\n  node [style=filled fontname=\"sans-serif\" "
            "fontsize=10];\n"
            "  edge [fontname=\"sans-serif\" fontsize=9];\n";
    for (const DrawnRank& r : drawing_.ranks) write_rank(r);
    write_messages();
    write_legend();
    out_ << "}\n";
    out_.flush();
  }

 private:
  void write_rank(const DrawnRank& r) {
    const NodeNames names(r, many_);
    if (many_) {
      out_ << "subgraph cluster_r" << r.trace->rank << " {\n  label=\"rank " << r.trace->rank;
      if (!r.trace->name.empty()) out_ << ": ";
      append_escaped(r.trace->name, out_);
      out_ << "\";\n";
    }
    for (std::uint32_t i = 0; i < r.graph.size(); ++i) {
      const drawing::NodeName name(names, i);
      write_node(r, name.view(), i);
      for (const Edge& e : r.graph.parents(i)) {
        out_ << "  ";
        names.append(e.node, out_);
        end_edge(name.view(), style_of(e.kind));
      }
    }
    write_broken(r, names);
    if (many_) out_ << "}\n";
  }

  void end_edge(std::string_view to, std::string_view style) { out_ << " -> " << to << style << ";\n"; }

  void write_node(const DrawnRank& r, std::string_view name, std::uint32_t index) {
    const NodeTable& table = r.trace->nodes;
    const Node& node = table.nodes[index];
    const std::size_t look = look_of(node.type);
    used_[look] = true;
    out_ << "  " << name << " [label=\"";
    append_escaped(clip(table.name(node)), out_);
    out_ << "\\n" << node.id << ' ' << looks[look].title;
    if (look == looks.size() - 1) out_ << ' ' << static_cast<std::int32_t>(node.type);
    facts_.read(table.attributes(node));
    write_facts(node.type);
    out_ << "\" " << looks[look].style << "];\n";
  }

  // The last line of a label: peer and size.
  void write_facts(NodeType type) {
    std::string_view separator = "\\n";
    const auto number = [&](Facts::Slot slot, std::string_view before, std::string_view after) {
      const IntValue v = int_value(facts_[slot]);
      if (!v) return false;
      out_ << separator << before << v.value << after;
      separator = ", ";
      return true;
    };
    if (type == NodeType::comm_coll) {
      const IntValue collective = int_value(facts_[Facts::comm_type]);
      const std::string_view name = collective ? drawing::collective_name(collective.value) : std::string_view{};
      if (!name.empty()) {
        out_ << separator << name;
        separator = ", ";
      } else {
        number(Facts::comm_type, "collective ", "");
      }
    }
    if (type == NodeType::comm_send) number(Facts::comm_dst, "to ", "");
    if (type == NodeType::comm_recv) number(Facts::comm_src, "from ", "");
    if (type == NodeType::comm_send || type == NodeType::comm_recv || type == NodeType::comm_coll) {
      if (!number(Facts::comm_size, "", " B")) number(Facts::msg_chunk_cnt, "", " chunks");
    } else {
      number(Facts::tensor_size, "", " B");
    }
  }

  void write_broken(const DrawnRank& r, const NodeNames& names) {
    for (const NodeId id : r.missing) {
      out_ << "  ";
      names.append_missing(id, out_);
      out_ << " [label=\"" << id << "\\nmissing\" " << missing_style << "];\n";
    }
    for (const GraphDefect& d : r.broken) {
      out_ << "  ";
      if (d.what == GraphDefect::What::self) {
        names.append(d.index, out_);
      } else {
        names.append_missing(d.id, out_);
      }
      end_edge(drawing::NodeName(names, d.index).view(), style_of(d.kind));
    }
    missing_ = missing_ || !r.missing.empty();
  }

  void write_messages() {
    std::vector<NodeNames> names;
    for (const DrawnRank& r : drawing_.ranks) names.emplace_back(r, many_);
    drawing::for_each_message(drawing_, [&](const drawing::MessageEdge& m) {
      out_ << "  ";
      names[m.from_rank].append(m.from_node, out_);
      end_edge(drawing::NodeName(names[m.to_rank], m.to_node).view(), message_style);
      messages_ = true;
    });
  }

  // Shows what occurs in the drawing.
  void write_legend() {
    out_ << "subgraph cluster_legend {\n  label=\"legend\";\n  fontsize=10;\n";
    for (std::size_t i = 0; i < looks.size(); ++i) {
      if (used_[i])
        out_ << "  legend_type" << i << " [label=\"" << looks[i].title << "\" " << looks[i].style << "];\n";
    }
    if (missing_) out_ << "  legend_missing [label=\"missing node\" " << missing_style << "];\n";
    out_ << "  node [shape=point];\n";
    write_legend_edge("data", data_style);
    write_legend_edge("control", control_style);
    if (messages_) write_legend_edge("message", message_style);
    out_ << "}\n";
  }

  void write_legend_edge(std::string_view title, std::string_view style) {
    out_ << "  legend_" << title << "0 -> legend_" << title << "1" << style << " [label=\"" << title << "\"];\n";
  }

  const drawing::Drawing& drawing_;
  Writer out_;
  bool many_;
  bool missing_ = false;  // drawn: for the legend
  bool messages_ = false;
  std::array<bool, looks.size()> used_{};
  Facts facts_;
};

void write_dot(std::span<const Trace> traces, const FormatOptions& /*options*/, Output& output) {
  DotWriter(drawing::make_drawing(traces), output).write();
}

}  // namespace

extern const Format dot_format;
const Format dot_format = {
    .name = "dot",
    .summary = "Graphviz dot: dependencies, and messages between ranks",
    .suffixes = {".dot", ".gv"},
    .read_options = {},
    .write_options = {},
    .write_set = write_dot,
};

}  // namespace convert
