// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "drawing_sample.h"

namespace convert {

extern const Format dot_format;

namespace {

using test::named_trace;
using test::written;

std::string label_of(std::string_view name) {
  const Trace t = named_trace(0, name);
  const std::string text = written(dot_format, {&t, 1});
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
  const std::string text = written(dot_format, {});
  EXPECT_TRUE(text.starts_with("digraph trace {\n"));
  EXPECT_TRUE(text.ends_with("}\n}\n"));
  EXPECT_EQ(text.find("legend_type"), std::string::npos);
}

TEST(Dot, TwoRanks) {
  const std::vector<Trace> set = test::two_ranks();
  EXPECT_EQ(written(dot_format, set), R"(digraph trace {
  graph [fontname="sans-serif"];
  node [style=filled fontname="sans-serif" fontsize=10];
  edge [fontname="sans-serif" fontsize=9];
subgraph cluster_r0 {
  label="rank 0: pair.0.et";
  r0n0 [label="m\n0 COMM_SEND\nto 1, 64 B" shape=trapezium fillcolor="#cfe5f8"];
  r0n1 [label="m\n1 COMM_SEND\nto 1, 64 B" shape=trapezium fillcolor="#cfe5f8"];
  r0n0 -> r0n1;
  r0n2 [label="gemm\n2 COMP\n100 B" shape=box fillcolor="#fff2b3"];
  r0n1 -> r0n2 [style=dashed];
  r0n3 [label="sum\n3 COMM_COLL\nALL_REDUCE, 4096 B" shape=hexagon fillcolor="#fbd5c0"];
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
subgraph cluster_legend {
  label="legend";
  fontsize=10;
  legend_type4 [label="COMP" shape=box fillcolor="#fff2b3"];
  legend_type5 [label="COMM_SEND" shape=trapezium fillcolor="#cfe5f8"];
  legend_type6 [label="COMM_RECV" shape=invtrapezium fillcolor="#d5efcf"];
  legend_type7 [label="COMM_COLL" shape=hexagon fillcolor="#fbd5c0"];
  node [shape=point];
  legend_data0 -> legend_data1 [label="data"];
  legend_control0 -> legend_control1 [style=dashed] [label="control"];
  legend_message0 -> legend_message1 [color="#d62728" penwidth=1.5] [label="message"];
}
}
)");
}

TEST(Dot, SomeRanksOfASetMatchByRank) {
  std::vector<Trace> set = test::two_ranks();
  set[1].rank = 6;
  EXPECT_EQ(written(dot_format, set).find("penwidth"), std::string::npos);
  for (Attr& a : set[0].nodes.attrs) {
    if (a.name == attr::comm_dst) a.bits = 6;
  }
  EXPECT_NE(written(dot_format, set).find("  r0n1 -> r6n1 [color="), std::string::npos);
}

TEST(Dot, BrokenTracesAreDrawnAsTheyAre) {
  Trace t;
  t.nodes.add_node(1, static_cast<NodeType>(99), "odd");
  t.nodes.add_data_dep(42);
  t.nodes.add_ctrl_dep(1);
  t.nodes.end_node();
  t.nodes.add_node(1, NodeType::comp, "again");
  t.nodes.end_node();
  const std::string text = written(dot_format, {&t, 1});
  EXPECT_NE(text.find("  n1 [label=\"odd\\n1 unknown type 99\" shape=octagon"), std::string::npos) << text;
  EXPECT_NE(text.find("  n1_1 [label=\"again\\n1 COMP\" shape=box"), std::string::npos) << text;
  EXPECT_NE(text.find("  missing42 -> n1;\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  n1 -> n1 [style=dashed];\n"), std::string::npos) << text;
  EXPECT_NE(text.find("legend_missing"), std::string::npos) << text;
}

TEST(Dot, LargeTracesLeaveInPieces) {
  Trace t;
  constexpr NodeId count = 50'000;
  for (NodeId i = 0; i < count; ++i) {
    t.nodes.add_node(i, NodeType::comp, "some name that takes space");
    if (i > 0) t.nodes.add_data_dep(i - 1);
    t.nodes.end_node();
  }
  const std::string text = written(dot_format, {&t, 1});
  EXPECT_GT(text.size(), std::size_t{3} << 20);
  EXPECT_NE(text.find("  n49998 -> n49999;\n"), std::string::npos);
}

}  // namespace
}  // namespace convert
