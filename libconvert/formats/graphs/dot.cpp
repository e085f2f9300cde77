// SPDX-License-Identifier: MIT
// Format dot: Graphviz, write only.
#include <algorithm>
#include <array>
#include <string>

#include "core/units.h"
#include "formats/format.h"
#include "formats/graphs/drawing.h"
#include "util/utf8.h"
#include "util/visible.h"

namespace convert {
namespace {

using drawing::DrawnNames;
using drawing::DrawnNode;
using drawing::DrawnParent;
using drawing::DrawnRank;
using drawing::Writer;

// Graphviz rejects labels longer than 16 KiB, and such labels are unreadable.
constexpr std::size_t longest_label = 200;

constexpr drawing::PlainText plain_dot("\"\\&");

// Writes text inside a quoted label. Doubles backslashes, because dot replaces \N by the node's name. Writes
// ampersands as entities, because dot interprets "&lt;" as an entity. Writes control characters other than newline
// as \xNN.
void append_dot(std::string_view s, Writer& out) {
  drawing::write_escaped(s, plain_dot, out, [&](std::string_view character) {
    if (character.empty()) {
      out << drawing::replacement;
    } else if (character == "&") {
      out << "&amp;";
    } else if (character.size() > 1) {
      const std::string shown = visible(character);
      out << (shown == character ? "" : "\\") << shown;
    } else if (character == "\"" || character == "\\") {
      out << '\\' << character;
    } else if (character == "\n") {
      out << "\\n";
    } else {
      out << "\\\\";
      drawing::append_hex(static_cast<unsigned char>(character[0]), out);
    }
  });
}

struct Look {
  std::string_view title;
  std::string_view shape;
  std::string_view fill;
};

// By node type, followed by unknown types and compute on the host.
constexpr std::array<Look, 10> looks = {{
    {"INVALID", "box", "#eeeeee"},
    {"METADATA", "note", "#eeeeee"},
    {"MEM_LOAD", "invhouse", "#e5d8f0"},
    {"MEM_STORE", "house", "#e5d8f0"},
    {"COMP", "box", "#fff2b3"},
    {"COMM_SEND", "trapezium", "#cfe5f8"},
    {"COMM_RECV", "invtrapezium", "#d5efcf"},
    {"COMM_COLL", "hexagon", "#fbd5c0"},
    {"unknown type", "octagon", "#ff9999"},
    {"COMP (CPU)", "box style=\"filled,rounded\"", "#f4f4ee"},
}};
constexpr std::size_t unknown_look = 8;
constexpr std::size_t cpu_look = 9;

std::size_t look_of(NodeType type, bool on_cpu) {
  if (type == NodeType::comp && on_cpu) return cpu_look;
  return std::min<std::size_t>(static_cast<std::uint32_t>(type), unknown_look);
}

constexpr std::string_view data_style;
constexpr std::string_view control_style = " [style=dashed]";
constexpr std::string_view message_colour = "#d62728";
constexpr std::string_view message_style = " [color=\"#d62728\" penwidth=1.5]";
// Without these limits, dot takes minutes to lay out a few hundred nodes with distant dependencies.
constexpr std::string_view layout_limits = "nslimit=2 nslimit1=2 mclimit=0.5";
constexpr std::string_view missing_style = "shape=box style=\"filled,dashed\" fillcolor=white color=\"#d62728\"";

class DotWriter {
 public:
  DotWriter(const drawing::Drawing& drawing, Output& output)
      : drawing_(drawing), out_(output), many_(drawing.ranks.size() > 1) {}

  void write() {
    out_ << "digraph trace {\n  graph [fontname=\"sans-serif\" " << layout_limits
         << "];\n  node [style=filled fontname=\"sans-serif\" fontsize=10];\n"
            "  edge [fontname=\"sans-serif\" fontsize=9];\n";
    for (const DrawnRank& r : drawing_.ranks) write_rank(r);
    write_messages();
    if (std::ranges::find(used_, true) != used_.end()) write_legend();
    out_ << "}\n";
    out_.flush();
  }

 private:
  void write_rank(const DrawnRank& r) {
    const DrawnNames names(r, many_);
    if (many_) {
      out_ << "subgraph cluster_r" << r.rank << " {\n  label=\"rank " << r.rank;
      if (!r.name.empty()) out_ << ": ";
      append_dot(r.name.substr(r.name.rfind('/') + 1), out_);
      out_ << "\";\n";
    }
    drawing::DependencyReader dependencies(r);
    r.for_each_node([&](const DrawnNode& node) {
      const drawing::DrawnName name(names, node.index);
      write_node(node, name.view());
      for (const DrawnParent& p : dependencies.next_parents()) {
        out_ << "  ";
        names.append(p, out_);
        end_edge(name.view(), p.kind);
      }
    });
    write_broken(r, names);
    if (many_) out_ << "}\n";
  }

  void end_edge(std::string_view to, DepKind kind) {
    (kind == DepKind::data ? data_ : control_) = true;
    out_ << " -> " << to << (kind == DepKind::data ? data_style : control_style) << ";\n";
  }

  void write_node(const DrawnNode& node, std::string_view name) {
    const std::size_t look = look_of(node.type, node[attr::is_cpu_op].value_or(0) != 0);
    used_[look] = true;
    out_ << "  " << name << " [label=\"";
    const std::string_view shown = cut_to(node.name, longest_label);
    append_dot(shown, out_);
    if (shown.size() < node.name.size()) out_ << "…";
    out_ << "\\n" << node.id;
    // The type is omitted if the name begins with it, as in COMM_SEND_NODE_tb0_step0.
    if (look == unknown_look || !node.name.starts_with(looks[look].title)) out_ << ' ' << looks[look].title;
    if (look == unknown_look) out_ << ' ' << static_cast<std::int32_t>(node.type);
    write_facts(node);
    out_ << "\" shape=" << looks[look].shape << " fillcolor=\"" << looks[look].fill << "\"];\n";
  }

  // Writes the last line of a label: peer, size and duration, if known.
  void write_facts(const DrawnNode& node) {
    std::string_view separator = "\\n";
    const auto add = [&](const auto&... parts) {
      out_ << separator;
      (out_ << ... << parts);
      separator = ", ";
    };
    const auto number = [&](Name name, std::string_view before) {
      if (const auto v = node[name]) add(before, *v);
    };
    if (node.type == NodeType::comm_coll) {
      const auto [collective, name] = drawing::collective_of(node);
      if (!name.empty() && node.name.find(name) == std::string_view::npos) {
        add(name);
      } else if (name.empty() && collective) {
        add("collective ", *collective);
      }
    }
    if (node.type == NodeType::comm_send) number(attr::comm_dst, "to ");
    if (node.type == NodeType::comm_recv) number(attr::comm_src, "from ");
    const bool moves = node.type == NodeType::comm_send || node.type == NodeType::comm_recv;
    if (moves || node.type == NodeType::comm_coll) {
      if (const auto size = node[attr::comm_size]) {
        add(format_bytes(*size));
      } else if (const auto chunks = node[attr::msg_chunk_cnt]) {
        add(*chunks, *chunks == 1 ? " chunk" : " chunks");
      }
    } else if (const auto size = node[attr::tensor_size]) {
      add(format_bytes(*size));
    }
    if (const std::int64_t ns = drawing::duration_ns(node); ns > 0 && ns <= INT64_MAX / ps_per_ns)
      add(format_time(ns * ps_per_ns));
  }

  void write_broken(const DrawnRank& r, const DrawnNames& names) {
    for (const NodeId id : r.missing) {
      out_ << "  ";
      names.append_missing(id, out_);
      out_ << " [label=\"" << id << "\\nmissing\" " << missing_style << "];\n";
    }
    for (const GraphDefect& d : r.broken) {
      out_ << "  ";
      names.append_parent(d, out_);
      end_edge(drawing::DrawnName(names, d.index).view(), d.kind);
    }
    missing_ = missing_ || !r.missing.empty();
  }

  void write_messages() {
    const auto end = [&](std::string_view receiver) {
      out_ << " -> " << receiver << message_style << ";\n";
      messages_ = true;
    };
    drawing::write_messages(
        drawing_, out_, [&] { out_ << "  "; }, end);
  }

  // Writes a node that contains a legend of the shapes and edges in the drawing.
  void write_legend() {
    out_ << "legend [shape=none style=\"\" margin=0 fontsize=14 label=<<table border=\"0\" cellborder=\"1\" "
            "cellspacing=\"0\" cellpadding=\"4\">\n";
    for (std::size_t i = 0; i < looks.size(); ++i) {
      if (used_[i]) write_legend_row(looks[i].fill, "black", looks[i].title);
    }
    if (missing_) write_legend_row("white", message_colour, "missing node");
    if (data_) write_legend_row("white", "black", "→ data dependency");
    if (control_) write_legend_row("white", "black", "⇢ control dependency");
    if (messages_) write_legend_row("white", message_colour, "→ message");
    out_ << "</table>>];\n";
  }

  void write_legend_row(std::string_view fill, std::string_view colour, std::string_view title) {
    out_ << "  <tr><td align=\"left\" bgcolor=\"" << fill << "\"><font color=\"" << colour << "\">" << title
         << "</font></td></tr>\n";
  }

  const drawing::Drawing& drawing_;
  Writer out_;
  bool many_;
  bool data_ = false;  // occurs in the drawing; for the legend
  bool control_ = false;
  bool missing_ = false;
  bool messages_ = false;
  std::array<bool, looks.size()> used_{};
};

void write_dot(const drawing::Drawing& drawing, const FormatOptions& /*options*/, Output& output) {
  DotWriter(drawing, output).write();
}

}  // namespace

extern const Format dot_format;
const Format dot_format = {
    .name = "dot",
    .summary = "Graphviz dot: dependencies, and messages between ranks",
    .suffixes = {".dot", ".gv"},
    .write_drawing = write_dot,
};

}  // namespace convert
