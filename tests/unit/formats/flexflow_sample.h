// SPDX-License-Identifier: MIT
// For tests of the format flexflow: small graphs, and their traces as short texts.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "formats/format.h"
#include "read_all.h"

namespace convert::test {

inline FormatOptions options_of(std::vector<std::pair<std::string, std::string>> values) {
  return FormatOptions(std::move(values));
}

inline std::vector<Trace> read_all(Input& input, const FormatOptions& options, Diagnostics& diagnostics,
                                   std::size_t batch = 1000) {
  const auto reader = find_format("flexflow").read({input, std::nullopt, options, diagnostics});
  std::vector<Trace> traces;
  for (Trace head; reader->next_rank(head);) {
    Trace whole = head;
    while (reader->next_nodes(head, batch)) {
      EXPECT_LE(head.nodes.nodes.size(), batch);
      whole.nodes.append(head.nodes);
    }
    traces.push_back(std::move(whole));
  }
  return traces;
}

inline std::vector<Trace> read(std::string_view text, const FormatOptions& options = {}, std::size_t batch = 1000) {
  const auto input = memory_input("g.dot", text);
  Diagnostics diagnostics;
  return read_all(*input, options, diagnostics, batch);
}

inline std::string error(std::string_view text, const FormatOptions& options = {}) {
  return error_text([&] { (void)read(text, options); });
}

inline std::string graph(std::string_view statements) {
  return "digraph taskgraph {\n" + std::string(statements) + "\n}\n";
}
inline std::string comp(int k, int rank, const std::string& seconds = "1") {
  return "node" + std::to_string(k) + " [label=\"{ npu_id=" + std::to_string(rank) + " | c" + std::to_string(k) +
         " | F | COMP_NODE | runtime=" + seconds + " }\"];\n";
}
inline std::string transfer(int k, int src, int dst, const std::string& bytes = "8") {
  return "node" + std::to_string(k) + " [label=\"{ npu_id=" + std::to_string(src) + " | x" + std::to_string(k) +
         " | Comm | COMM_SEND_RECV_NODE | src=" + std::to_string(src) + " | dst=" + std::to_string(dst) +
         " | size=" + bytes + " }\"];\n";
}

inline std::int64_t number(const Trace& t, const Node& n, Name name) {
  const IntValue v = int_value(t.nodes.attributes(n), name);
  return v ? v.value : -1;
}

// "c0; S1<c0,R2": the nodes of a rank in their order; S and R are the ends of transfers, dependencies follow <.
inline std::string outline(const Trace& t) {
  const auto name = [&](const Node& n) {
    const std::string_view prefix = n.type == NodeType::comm_send ? "S" : n.type == NodeType::comm_recv ? "R" : "c";
    return std::string(prefix) + std::to_string(number(t, n, attr::task_id));
  };
  std::string out;
  for (const Node& n : t.nodes.nodes) {
    EXPECT_EQ(n.id, static_cast<NodeId>(&n - t.nodes.nodes.data()));
    out += (out.empty() ? "" : "; ") + name(n);
    std::string_view separator = "<";
    for (const NodeId parent : t.nodes.data_deps(n)) {
      EXPECT_LT(parent, n.id);
      out += std::string(separator) + name(t.nodes.nodes[parent]);
      separator = ",";
    }
  }
  return out;
}
inline std::vector<std::string> outlines(std::string_view text, const FormatOptions& options = {}) {
  std::vector<std::string> out;
  for (const Trace& t : read(text, options)) out.push_back(outline(t));
  return out;
}
using Outlines = std::vector<std::string>;

}  // namespace convert::test
