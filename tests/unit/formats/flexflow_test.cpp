// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "flexflow_sample.h"
#include "recode.h"

namespace convert::test {
namespace {

TEST(FlexflowEdges, ATransferWaitsForTasksOfBothEnds) {
  EXPECT_EQ(outlines(graph(comp(0, 0) + comp(1, 1) + transfer(2, 0, 1) + "node0 -> node2; node1 -> node2")),
            (Outlines{"c0; S2<c0", "c1; R2<c1"}));
}

TEST(FlexflowEdges, TasksOfBothEndsWaitForATransfer) {
  EXPECT_EQ(outlines(graph(transfer(0, 0, 1) + comp(1, 0) + comp(2, 1) + "node0 -> node1; node0 -> node2")),
            (Outlines{"S0; c1<S0", "R0; c2<R0"}));
}

TEST(FlexflowEdges, ATransferBehindATransfer) {
  // Its source is the preceding destination: a ring.
  EXPECT_EQ(outlines(graph(transfer(0, 0, 1) + transfer(1, 1, 2) + "node0 -> node1")),
            (Outlines{"S0", "R0; S1<R0", "R1"}));
  // The same source.
  EXPECT_EQ(outlines(graph(transfer(0, 0, 1) + transfer(1, 0, 2) + "node0 -> node1")),
            (Outlines{"S0; S1<S0", "R0", "R1"}));
  // The same destination.
  EXPECT_EQ(outlines(graph(transfer(0, 0, 2) + transfer(1, 1, 2) + "node0 -> node1")),
            (Outlines{"S0", "S1", "R0; R1<R0"}));
  // The same ends: both.
  EXPECT_EQ(outlines(graph(transfer(0, 0, 1) + transfer(1, 0, 1) + "node0 -> node1")),
            (Outlines{"S0; S1<S0", "R0; R1<R0"}));
  // There and back: the receive does not wait for the send before it.
  EXPECT_EQ(outlines(graph(transfer(0, 0, 1) + transfer(1, 1, 0) + "node0 -> node1")),
            (Outlines{"S0; R1", "R0; S1<R0"}));
  EXPECT_EQ(error(graph(transfer(0, 0, 1) + transfer(1, 2, 0) + "node0 -> node1")),
            "g.dot:4:10: no transfer carries the edge from node0 (x0), rank 0 to rank 1, to node1 (x1), rank 2 to "
            "rank 0");
}

TEST(FlexflowEdges, WithoutARankInCommonAreErrors) {
  EXPECT_EQ(error(graph(comp(0, 2) + transfer(1, 0, 1) + "node0 -> node1")),
            "g.dot:4:10: no transfer carries the edge from node0 (c0), rank 2, to node1 (x1), rank 0 to rank 1");
  EXPECT_EQ(error(graph(comp(0, 2) + transfer(1, 0, 1) + "node1 -> node0"), options_of({{"cross", "message"}})),
            "g.dot:4:10: no transfer carries the edge from node1 (x1), rank 0 to rank 1, to node0 (c0), rank 2");
}

TEST(FlexflowEdges, BetweenRanksAreErrorsOrMessages) {
  const std::string text = graph(comp(0, 0) + comp(1, 1) + "node0 -> node1");
  EXPECT_EQ(error(text),
            "g.dot:4:10: no transfer carries the edge from node0 (c0), rank 0, to node1 (c1), rank 1; use "
            "cross=message to make it a message of 0 bytes");
  const auto traces = read(text, options_of({{"cross", "message"}}));
  ASSERT_EQ(traces.size(), 2U);
  EXPECT_EQ(outline(traces[0]), "c0; S1<c0");
  EXPECT_EQ(outline(traces[1]), "R1; c1<R1");
  const Node& send = traces[0].nodes.nodes[1];
  EXPECT_EQ(traces[0].nodes.name(send), "node0 -> node1");
  EXPECT_EQ(number(traces[0], send, attr::comm_size), 0);
  EXPECT_EQ(number(traces[0], send, attr::comm_tag), number(traces[1], traces[1].nodes.nodes[0], attr::comm_tag));
}

TEST(FlexflowEdges, GivenTwiceAreOneDependency) {
  EXPECT_EQ(outlines(graph(comp(0, 0) + comp(1, 0) + "node0 -> node1; node0 -> node1")), (Outlines{"c0; c1<c0"}));
}

TEST(FlexflowEdges, MayStandBeforeNodesAndAgainstTheirOrder) {
  EXPECT_EQ(outlines(graph("node7 -> node3 -> node4\n" + comp(3, 0) + comp(4, 0) + comp(7, 0))),
            (Outlines{"c7; c3<c7; c4<c3"}));
}

TEST(Flexflow, Transfers) {
  const auto traces = read(graph(transfer(0, 1, 0, "9223372036854775807") + transfer(1, 0, 0, "512")));
  ASSERT_EQ(traces.size(), 2U);
  const Node& receive = traces[0].nodes.nodes[0];
  EXPECT_EQ(receive.type, NodeType::comm_recv);
  EXPECT_EQ(traces[0].nodes.name(receive), "x0");
  EXPECT_EQ(number(traces[0], receive, attr::comm_type), 6);
  EXPECT_EQ(number(traces[0], receive, attr::comm_src), 1);
  EXPECT_EQ(number(traces[0], receive, attr::comm_dst), 0);
  EXPECT_EQ(number(traces[0], receive, attr::comm_size), 9223372036854775807);
  const auto attributes = traces[0].nodes.attributes(receive);
  EXPECT_EQ(find(attributes, attr::comm_src)->kind, Kind::int32_val);
  EXPECT_EQ(find(attributes, attr::comm_dst)->kind, Kind::int32_val);
  EXPECT_EQ(find(attributes, attr::comm_tag)->kind, Kind::int32_val);
  EXPECT_EQ(find(attributes, attr::comm_size)->kind, Kind::int64_val);
  EXPECT_EQ(string_value(traces[0].nodes, attributes, attr::task_type), "Comm");
  // Within a rank.
  const Node& copy = traces[0].nodes.nodes[1];
  EXPECT_EQ(copy.type, NodeType::comp);
  EXPECT_EQ(number(traces[0], copy, attr::tensor_size), 512);
  EXPECT_EQ(find(traces[0].nodes.attributes(copy), attr::comm_src), nullptr);
  EXPECT_EQ(traces[1].nodes.nodes.size(), 1U);
  EXPECT_EQ(traces[0].nodes.positions, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_TRUE(traces[0].nodes.positions_are_lines);
}

TEST(Flexflow, TimesAreRoundedAndKeptExactly) {
  const std::map<std::string, std::pair<std::uint64_t, std::int64_t>> times = {
      {"0.0001", {100, -1}},   {"1.2345e-05", {12, 12345}}, {"0", {0, -1}},
      {"4.999e-07", {0, 500}}, {"5e-07", {1, 500}},         {"1e-10", {0, -1}},
      {"0.00013", {130, -1}},  {"1.4999e-06", {1, 1500}},   {"9e9", {9000000000000000, -1}},
      {"1E-3", {1000, -1}},    {"2.", {2000000, -1}},       {".5", {500000, -1}},
  };
  for (const auto& [text, expected] : times) {
    const auto traces = read(graph(comp(0, 0, text)));
    EXPECT_EQ(traces[0].nodes.nodes[0].duration_us, expected.first) << text;
    EXPECT_EQ(number(traces[0], traces[0].nodes.nodes[0], attr::duration_nanos), expected.second) << text;
  }
}

TEST(Flexflow, StockTimesAndNames) {
  const auto traces = read(graph("node0 [label=\"{ a b | Forward | { 0.1 | 0.3001235 } }\"]\n"
                                 "node1 [label=\"{ Comm | { 0.0005 | 2 } }\"] node0->node1"),
                           options_of({{"single", "yes"}}));
  ASSERT_EQ(traces.size(), 1U);
  const Trace& t = traces[0];
  const Node& a = t.nodes.nodes[0];
  EXPECT_EQ(t.nodes.name(a), "a b");
  EXPECT_EQ(a.start_us, 100U);
  EXPECT_EQ(a.duration_us, 200U);
  EXPECT_EQ(number(t, a, attr::duration_nanos), 200124);  // 300123.5 ns is rounded up
  EXPECT_EQ(number(t, a, attr::start_nanos), -1);
  EXPECT_EQ(string_value(t.nodes, t.nodes.attributes(a), attr::task_type), "Forward");
  const Node& b = t.nodes.nodes[1];
  EXPECT_EQ(b.type, NodeType::comp);
  EXPECT_EQ(t.nodes.name(b), "Comm");
  EXPECT_EQ(number(t, b, attr::start_nanos), 500);
  EXPECT_EQ(string_value(t.nodes, t.nodes.attributes(b), attr::comm_task), "Comm");
  EXPECT_EQ(find(t.nodes.attributes(b), attr::npu), nullptr);
}

TEST(Flexflow, OneTraceKnowsTheRanks) {
  const auto traces = read(graph(comp(0, 3) + transfer(1, 3, 5) + comp(2, 9) + "node0 -> node1 -> node2"),
                           options_of({{"single", "yes"}}));
  ASSERT_EQ(traces.size(), 1U);
  const Trace& t = traces[0];
  EXPECT_EQ(outline(t), "c0; c1<c0; c2<c1");
  EXPECT_EQ(number(t, t.nodes.nodes[0], attr::npu), 3);
  EXPECT_EQ(find(t.nodes.attributes(t.nodes.nodes[0]), attr::npu)->kind, Kind::int32_val);
  EXPECT_EQ(number(t, t.nodes.nodes[1], attr::npu), -1);
  EXPECT_EQ(number(t, t.nodes.nodes[1], attr::comm_dst), 5);
  EXPECT_EQ(string_value(t.nodes, t.nodes.attributes(t.nodes.nodes[1]), attr::comm_task), "COMM_SEND_RECV_NODE");
}

TEST(Flexflow, BatchesAndWindowsDoNotMatter) {
  std::string text = "digraph taskgraph {\n";
  for (int i = 0; i < 3000; ++i) {
    text += i % 3 == 2 ? transfer(i, i % 7, (i + 1) % 7) : comp(i, i % 7);
    if (i >= 7) text += "/* \n */ node" + std::to_string(i - 7) + " -> node" + std::to_string(i) + "\n";
  }
  text += "}";
  EXPECT_GT(text.size(), std::size_t{256} << 10U);  // more than a buffer
  const auto all = read(text, {}, 1'000'000);
  const auto few = read(text, {}, 7);
  ASSERT_EQ(all.size(), few.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(outline(all[i]), outline(few[i]));
  EXPECT_EQ(all[0].nodes.positions, few[0].nodes.positions);
}

TEST(Flexflow, WhatDotAllows) {
  const std::string plain = recode(graph(comp(0, 0) + comp(1, 0) + "node0 -> node1"), "flexflow", "jsonl");
  const std::string label0 = "{ npu_id=0 | c0 | F | COMP_NODE | runtime=1 }";
  const std::string label1 = "{ npu_id=0 | c1 | F | COMP_NODE | runtime=1 }";
  const std::vector<std::string> texts = {
      "\xef\xbb\xbfstrict DIGRAPH \"taskgraph\"{node0[label=\"" + label0 + "\"]node1[label=\"" + label1 +
          "\"]node0->node1}",
      "# line\n/* a\nb */ // c\ndigraph taskgraph\n{ rankdir=LR; graph [a=b]; Node[shape=record][x=y]; EDGE []\n" +
          std::string("\"node1\" [shape=record; label=\"") + label1 +
          "\" , width=-.5];\nnode0 -> \"node1\" [a=b];" + "node0 [\"label\"=\"" + label0.substr(0, 20) + "\" + \"" +
          label0.substr(20) + "\"]\n}\n",
  };
  for (const std::string& text : texts) {
    const auto traces = read(text);
    ASSERT_EQ(traces.size(), 1U);
    std::vector<std::string> names;
    for (const Node& n : traces[0].nodes.nodes) names.emplace_back(traces[0].nodes.name(n));
    EXPECT_EQ(names, (std::vector<std::string>{"c0", "c1"})) << text;
  }
  EXPECT_EQ(recode(texts[0], "flexflow", "jsonl"), plain);
}

TEST(Flexflow, Escapes) {
  const auto traces =
      read(graph("node0 [label=\"{ npu_id=0 | a\\\"b \\{\\|\\} \\<f\\> {x} \\\\ c\\\nd\\ne | "
                 "\\  | COMP_NODE | runtime=1 }\"]"));
  EXPECT_EQ(traces[0].nodes.name(traces[0].nodes.nodes[0]), "a\"b {|} <f> {x} \\ cd\ne");
  EXPECT_EQ(string_value(traces[0].nodes, traces[0].nodes.attributes(traces[0].nodes.nodes[0]), attr::task_type),
            " ");
}

TEST(Flexflow, RecognisedByContentAndSuffix) {
  const Format* flexflow = &find_format("flexflow");
  for (const char* head :
       {"digraph taskgraph {", "// c\n/* d */\n# e\nstrict digraph \"taskgraph\"{", "\n DiGraph taskgraph{"}) {
    EXPECT_EQ(detect_format(head, "-"), flexflow) << head;
  }
  for (const char* head :
       {"digraph trace {\n  graph [fontname=\"sans-serif\"];", "digraph taskgraphs {", "digraph {",
        "graph taskgraph {", "taskgraph {", "digraph taskgraph", "{\"a\":1}", "/*"}) {
    EXPECT_EQ(detect_format(head, "-"), nullptr) << head;
  }
  EXPECT_EQ(detect_format("digraph x {", "x.dot"), flexflow);
  EXPECT_EQ(format_by_suffix("x.dot", Direction::read), flexflow);
  EXPECT_EQ(format_by_suffix("x.dot.gz", Direction::write), &find_format("dot"));
  EXPECT_EQ(format_by_suffix("x.gv", Direction::read), &find_format("dot"));
  EXPECT_EQ(format_by_suffix("x.xml", Direction::read), format_by_suffix("x.xml", Direction::write));
}

}  // namespace
}  // namespace convert::test
