// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "drawing_sample.h"
#include "formats/graphs/drawing.h"

namespace convert {

extern const Format dot_format;

namespace {

using test::drawn;
using test::named_trace;

std::string label_of(std::string_view name) {
  const Trace t = named_trace(0, name);
  const std::string text = drawn(dot_format, {&t, 1});
  const std::string begin = "  n7 [label=\"";
  const std::size_t at = text.find(begin) + begin.size();
  const std::size_t end = text.find("\\n7 COMP\" shape=box", at);
  EXPECT_NE(end, std::string::npos) << text;
  return text.substr(at, end - at);
}

TEST(Dot, IsFoundByNameAndSuffix) {
  EXPECT_EQ(dot_format.name, "dot");
  EXPECT_EQ(dot_format.suffixes, (std::vector<std::string_view>{".dot", ".gv"}));
  EXPECT_FALSE(dot_format.can_read());
  EXPECT_TRUE(dot_format.can_write());
}

TEST(Dot, LabelsAreEscaped) {
  EXPECT_EQ(label_of("plain {a|b} <c>"), "plain {a|b} <c>");
  EXPECT_EQ(label_of("\"q\" \\N"), "\\\"q\\\" \\\\N");
  EXPECT_EQ(label_of("two\nlines"), "two\\nlines");
  EXPECT_EQ(label_of("&lt; & ]]>"), "&amp;lt; &amp; ]]>");
  EXPECT_EQ(label_of("größe → 日本"), "größe → 日本");
  EXPECT_EQ(label_of(std::string("\x1b[0m\t\r\x7f") + '\0'), "\\\\x1b[0m\\\\x09\\\\x0d\\\\x7f\\\\x00");
  EXPECT_EQ(label_of("a\xff\xc3(\xe2\x82"), "a\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(label_of(""), "");
}

TEST(Dot, EmptySetIsAnEmptyGraph) {
  const std::string text = drawn(dot_format, {});
  EXPECT_TRUE(text.starts_with("digraph trace {\n"));
  EXPECT_TRUE(text.ends_with("];\n}\n"));
  EXPECT_EQ(text.find("legend"), std::string::npos);
}

TEST(Dot, TwoRanks) {
  const std::vector<Trace> set = test::two_ranks();
  EXPECT_EQ(drawn(dot_format, set), R"(digraph trace {
  graph [fontname="sans-serif" nslimit=2 nslimit1=2 mclimit=0.5];
  node [style=filled fontname="sans-serif" fontsize=10];
  edge [fontname="sans-serif" fontsize=9];
subgraph cluster_r0 {
  label="rank 0: pair.0.et";
  r0n0 [label="m\n0 COMM_SEND\nto 1, 64 B" shape=trapezium fillcolor="#cfe5f8"];
  r0n1 [label="m\n1 COMM_SEND\nto 1, 64 B" shape=trapezium fillcolor="#cfe5f8"];
  r0n0 -> r0n1;
  r0n2 [label="gemm\n2 COMP\n100 B, 3 µs" shape=box fillcolor="#fff2b3"];
  r0n1 -> r0n2 [style=dashed];
  r0n3 [label="sum\n3 COMM_COLL\nALL_REDUCE, 4 KiB" shape=hexagon fillcolor="#fbd5c0"];
  r0n2 -> r0n3;
}
subgraph cluster_r1 {
  label="rank 1: pair.1.et";
  r1n0 [label="m\n0 COMM_RECV\nfrom 0, 64 B" shape=invtrapezium fillcolor="#d5efcf"];
  r1n1 [label="m\n1 COMM_RECV\nfrom 0, 64 B" shape=invtrapezium fillcolor="#d5efcf"];
  r1n0 -> r1n1;
}
  r0n0 -> r1n0 [color="#d62728" penwidth=1.5];
  r0n1 -> r1n1 [color="#d62728" penwidth=1.5];
legend [shape=none style="" margin=0 fontsize=14 label=<<table border="0" cellborder="1" cellspacing="0" cellpadding="4">
  <tr><td align="left" bgcolor="#fff2b3"><font color="black">COMP</font></td></tr>
  <tr><td align="left" bgcolor="#cfe5f8"><font color="black">COMM_SEND</font></td></tr>
  <tr><td align="left" bgcolor="#d5efcf"><font color="black">COMM_RECV</font></td></tr>
  <tr><td align="left" bgcolor="#fbd5c0"><font color="black">COMM_COLL</font></td></tr>
  <tr><td align="left" bgcolor="white"><font color="black">→ data dependency</font></td></tr>
  <tr><td align="left" bgcolor="white"><font color="black">⇢ control dependency</font></td></tr>
  <tr><td align="left" bgcolor="white"><font color="#d62728">→ message</font></td></tr>
</table>>];
}
)");
}

// Returns the dot line of a single node.
std::string line_of(const Trace& t) {
  const std::string text = drawn(dot_format, {&t, 1});
  const std::size_t at = text.find("  n7 [");
  return text.substr(at, text.find('\n', at) - at);
}

TEST(Dot, WhatANameSaysIsNotSaidAgain) {
  Trace t;
  t.nodes.add_node(7, NodeType::comm_coll, "ALL_REDUCE of layer 3");
  t.nodes.add_int(attr::comm_type, Kind::int64_val, 0);
  t.nodes.add_int(attr::comm_size, Kind::int64_val, std::int64_t{64} << 20);
  t.nodes.end_node();
  EXPECT_TRUE(line_of(t).starts_with("  n7 [label=\"ALL_REDUCE of layer 3\\n7 COMM_COLL\\n64 MiB\""));
  t.nodes.clear();
  t.nodes.add_node(7, NodeType::comm_send, "COMM_SEND_NODE_tb0_step0");
  t.nodes.add_int(attr::comm_dst, Kind::int32_val, 3);
  t.nodes.add_int(attr::msg_chunk_cnt, Kind::int32_val, 1);
  t.nodes.end_node();
  EXPECT_TRUE(line_of(t).starts_with("  n7 [label=\"COMM_SEND_NODE_tb0_step0\\n7\\nto 3, 1 chunk\""));
}

TEST(Dot, ComputingOnTheHostLooksDifferent) {
  Trace t;
  t.nodes.add_node(7, NodeType::comp, "aten::mm");
  t.nodes.add_bool(attr::is_cpu_op, true);
  t.nodes.add_int(attr::duration_nanos, Kind::int64_val, 1250);
  t.nodes.end_node();
  EXPECT_EQ(line_of(t),
            "  n7 [label=\"aten::mm\\n7 COMP (CPU)\\n1.25 µs\" shape=box style=\"filled,rounded\" "
            "fillcolor=\"#f4f4ee\"];");
}

TEST(Dot, GroupTitlesAreBaseNames) {
  std::vector<Trace> set = test::two_ranks();
  set[0].name = "/a/long/way/to/pair.0.et";
  EXPECT_NE(drawn(dot_format, set).find("label=\"rank 0: pair.0.et\";"), std::string::npos);
}

TEST(Dot, WorkOfALayoutCountsLevelsThatEdgesSpan) {
  Trace chain;
  for (NodeId i = 0; i < 10; ++i) {
    chain.nodes.add_node(i, NodeType::comp, "c");
    if (i > 0) chain.nodes.add_data_dep(i - 1);
    if (i == 9) chain.nodes.add_data_dep(0);
    chain.nodes.end_node();
  }
  EXPECT_EQ(drawing::layout_work(drawing::make_drawing({&chain, 1})), 10 + 9 + 9);
  const std::vector<Trace> set = test::two_ranks();  // 6 nodes, 4 dependencies, 2 messages, all to the next level
  EXPECT_EQ(drawing::layout_work(drawing::make_drawing(set)), 6 + 4 + 2);
}

TEST(Dot, SomeRanksOfASetMatchByRank) {
  std::vector<Trace> set = test::two_ranks();
  set[1].rank = 6;
  EXPECT_EQ(drawn(dot_format, set).find("penwidth"), std::string::npos);
  for (Attr& a : set[0].nodes.attrs) {
    if (a.name == attr::comm_dst) a.bits = 6;
  }
  EXPECT_NE(drawn(dot_format, set).find("  r0n1 -> r6n1 [color="), std::string::npos);
}

TEST(Dot, BrokenTracesAreDrawnAsTheyAre) {
  Trace t;
  t.nodes.add_node(1, static_cast<NodeType>(99), "odd");
  t.nodes.add_data_dep(42);
  t.nodes.add_ctrl_dep(1);
  t.nodes.end_node();
  t.nodes.add_node(1, NodeType::comp, "again");
  t.nodes.end_node();
  const std::string text = drawn(dot_format, {&t, 1});
  EXPECT_NE(text.find("  n1 [label=\"odd\\n1 unknown type 99\" shape=octagon"), std::string::npos) << text;
  EXPECT_NE(text.find("  n1_1 [label=\"again\\n1 COMP\" shape=box"), std::string::npos) << text;
  EXPECT_NE(text.find("  missing42 -> n1;\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  n1 -> n1 [style=dashed];\n"), std::string::npos) << text;
  EXPECT_NE(text.find("missing node"), std::string::npos) << text;
}

TEST(Dot, LargeTracesLeaveInPieces) {
  Trace t;
  constexpr NodeId count = 50'000;
  for (NodeId i = 0; i < count; ++i) {
    t.nodes.add_node(i, NodeType::comp, "some name that takes space");
    if (i > 0) t.nodes.add_data_dep(i - 1);
    t.nodes.end_node();
  }
  const std::string text = drawn(dot_format, {&t, 1});
  EXPECT_GT(text.size(), std::size_t{3} << 20);
  EXPECT_NE(text.find("  n49998 -> n49999;\n"), std::string::npos);
}

}  // namespace
}  // namespace convert
