// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "bad_files.h"
#include "formats/flexflow/task_graph.h"
#include "recode.h"

namespace convert::testing {
namespace {

namespace fs = std::filesystem;

FormatOptions options_of(std::vector<std::pair<std::string, std::string>> values) {
  return FormatOptions(std::move(values));
}

std::vector<Trace> read_all(Input& input, const FormatOptions& options, Diagnostics& diagnostics,
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

std::vector<Trace> read(std::string_view text, const FormatOptions& options = {}, std::size_t batch = 1000) {
  const auto input = memory_input("g.dot", text);
  Diagnostics diagnostics;
  return read_all(*input, options, diagnostics, batch);
}

std::string error(std::string_view text, const FormatOptions& options = {}) {
  return error_of([&] { (void)read(text, options); });
}

std::string graph(std::string_view statements) {
  return "digraph taskgraph {\n" + std::string(statements) + "\n}\n";
}
std::string comp(int k, int rank, const std::string& seconds = "1") {
  return "node" + std::to_string(k) + " [label=\"{ npu_id=" + std::to_string(rank) + " | c" + std::to_string(k) +
         " | F | COMP_NODE | runtime=" + seconds + " }\"];\n";
}
std::string transfer(int k, int src, int dst, const std::string& bytes = "8") {
  return "node" + std::to_string(k) + " [label=\"{ npu_id=" + std::to_string(src) + " | x" + std::to_string(k) +
         " | Comm | COMM_SEND_RECV_NODE | src=" + std::to_string(src) + " | dst=" + std::to_string(dst) +
         " | size=" + bytes + " }\"];\n";
}

std::int64_t number(const Trace& t, const Node& n, Name name) {
  const IntValue v = int_value(t.nodes.attributes(n), name);
  return v ? v.value : -1;
}

// "c0; S1<c0,R2": the nodes of a rank in their order, S and R are the ends of transfers, behind < the dependencies.
std::string outline(const Trace& t) {
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
std::vector<std::string> outlines(std::string_view text, const FormatOptions& options = {}) {
  std::vector<std::string> out;
  for (const Trace& t : read(text, options)) out.push_back(outline(t));
  return out;
}
using Outlines = std::vector<std::string>;

TEST(FlexflowEdges, ATransferWaitsForTasksOfBothEnds) {
  EXPECT_EQ(outlines(graph(comp(0, 0) + comp(1, 1) + transfer(2, 0, 1) + "node0 -> node2; node1 -> node2")),
            (Outlines{"c0; S2<c0", "c1; R2<c1"}));
}

TEST(FlexflowEdges, TasksOfBothEndsWaitForATransfer) {
  EXPECT_EQ(outlines(graph(transfer(0, 0, 1) + comp(1, 0) + comp(2, 1) + "node0 -> node1; node0 -> node2")),
            (Outlines{"S0; c1<S0", "R0; c2<R0"}));
}

TEST(FlexflowEdges, ATransferBehindATransfer) {
  // Its source is the destination before: a ring.
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
            "g.dot:4:10: no transfer carries the edge from node0 (c0), rank 0, to node1 (c1), rank 1; with "
            "cross=message it becomes a message of no bytes");
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

TEST(Flexflow, FilesThatMustBeRefused) {
  expect_errors(
      fs::path(ETKIT_SOURCE_DIR) / "testdata" / "flexflow",
      {
          {"bad-backwards.dot", "2:39: node0: the task ends at 1 before it begins, at 2"},
          {"bad-cross.dot",
           "4:12: no transfer carries the edge from node0 (a), rank 0, to node1 (b), rank 1; with cross=message it "
           "becomes a message of no bytes"},
          {"bad-cycle.dot", "3:3: a cycle of 2 tasks: node1 -> node2 -> node1"},
          {"bad-duplicate.dot", "3:3: node0 is declared twice; first in line 2"},
          {"bad-gap.dot", "3:3: node1 (b) is on rank 2, but rank 1 has no task: ranks must be 0…2 without gaps"},
          {"bad-label.dot",
           "2:17: node0: the label \"{ npu_id=0 | a | COMP_NODE | runtime=1 }\" is none of a task graph's: { "
           "npu_id=R "
           "| NAME | … | COMP_NODE | runtime=SECONDS }, { npu_id=R | NAME | … | COMM_SEND_RECV_NODE | src=R | "
           "dst=R "
           "| size=BYTES }, { NAME | TYPE | { START | END } }"},
          {"bad-mixed.dot",
           "3:17: node1 is of FlexFlow's own form (times), the nodes before it of that for Chakra"},
          {"bad-nan.dot", "2:50: node0: 'runtime=nan': a finite time from 0 on is expected"},
          {"bad-negative.dot", "2:50: node0: 'runtime=-1': a finite time from 0 on is expected"},
          {"bad-size.dot",
           "2:79: node0: 'size=9223372036854775808': a size in bytes is expected, an integer from 0 to 2^63-1"},
          {"bad-truncated.dot", "2:16: a string without its end"},
          {"bad-two-graphs.dot", "2:1: a second graph; a task graph is a file of its own"},
          {"bad-undeclared.dot", "3:12: the edge node0 -> node1 names node1, which is never declared"},
          {"bad-undirected.dot", "1:1: an undirected graph; a task graph is a digraph"},
          {"bad-unrelated.dot",
           "4:12: no transfer carries the edge from node1 (b), rank 2, to node0 (x), rank 0 to rank 1"},
      },
      [](Input& input, Diagnostics& diagnostics) { return read_all(input, {}, diagnostics); });
}

TEST(Flexflow, ErrorsOfDot) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "1:1: an empty file is not a task graph"},
      {"// nothing\n", "2:1: an empty file is not a task graph"},
      {"digraph a {}", " the graph has no tasks"},
      {"tree a {}", "1:1: 'digraph' is expected, not 'tree'"},
      {"digraph a b", "1:11: '{' is expected, not 'b'"},
      {"digraph {\n node0", "2:2: node0 has no label"},
      {"digraph {\na=b;", "2:5: the graph ends without its '}'"},
      {"digraph { a=b;; }", "1:15: a statement is expected, not ';'"},
      {"digraph { subgraph x { } }", "1:11: a subgraph is not part of a task graph"},
      {"digraph { {} }", "1:11: a subgraph is not part of a task graph"},
      {"digraph { node0 -> { node1 } }", "1:20: a subgraph is not part of a task graph"},
      {"digraph { node0 -- node1 }", "1:17: '--' is expected in undirected graphs only; write '->'"},
      {"digraph { node0:p -> node1 }", "1:16: a port is not part of a task graph"},
      {"digraph { node0 -> node1:p }", "1:25: a port is not part of a task graph"},
      {"digraph { node0 -> ; }", "1:20: a node is expected behind '->', not ';'"},
      {"digraph { a -> node1 }", "1:11: 'a' is no node of a task graph: they are named node0, node1, …"},
      {"digraph { node01 [] }", "1:11: 'node01' is no node of a task graph: they are named node0, node1, …"},
      {"digraph { node4294967296 }",
       "1:11: 'node4294967296' is no node of a task graph: they are named node0, node1, …"},
      {"digraph { node0 [label=<x>] }", "1:24: an HTML string is not part of a task graph"},
      {"digraph { node [label=x] }", "1:23: a label for all nodes is not part of a task graph"},
      {"digraph { node0 [label=x label=y] }", "1:26: 'label' is given twice"},
      {"digraph { node0 [label=] }", "1:24: a value is expected, not ']'"},
      {"digraph { node0 [=x] }", "1:18: an attribute or ']' is expected, not '='"},
      {"digraph { node0 [a, b=c] }", "1:19: '=' is expected, not ','"},
      {"digraph { node0 [a=b", "1:21: an attribute or ']' is expected, not the end of the file"},
      {"digraph { a= ; }", "1:14: a value is expected, not ';'"},
      {"digraph { \"a\" + b = c }", "1:15: the name of a node in parts is not part of a task graph"},
      {"digraph { a = \"b\" + c }", "1:21: a string in quotes is expected behind '+', not 'c'"},
      {"digraph { node }", "1:16: '[' is expected, not '}'"},
      {"digraph { 1a }", "1:11: '1a' is neither a name nor a number; put it in quotes"},
      {"digraph { 1.2.3 }", "1:11: '1.2.' is neither a name nor a number; put it in quotes"},
      {"digraph { @ }", "1:11: unexpected '@'"},
      {std::string("digraph { \0 }", 13), "1:11: unexpected byte 0x00"},
      {"digraph { /* }", "1:11: a comment without its end"},
      {"digraph {\n  / }", "2:3: unexpected '/'"},
      {"digraph { \"a\n\\", "1:11: a string without its end"},
      {"digraph { # no line }", "1:11: unexpected '#'"},
      {graph(comp(0, 0)) + "x", "5:1: unexpected 'x' behind the graph"},
      {graph(comp(0, 0)) + "strict digraph {}", "5:1: a second graph; a task graph is a file of its own"},
      {graph("node0 -> node0\n" + comp(0, 0)), "3:1: a cycle of 1 task: node0 -> node0"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(error(text), "g.dot:" + expected) << text;
  }
}

TEST(Flexflow, ErrorsOfLabels) {
  const auto label_error = [](const std::string& label) {
    const std::string e = error("digraph{node0[label=\"" + label + "\"]}");
    const std::string prefix = "g.dot:1:";
    return e.starts_with(prefix) ? e.substr(prefix.size()) : e;
  };
  EXPECT_EQ(label_error("{npu_id=x|a|F|COMP_NODE|runtime=1}"),
            "23: node0: 'npu_id=x': a rank is expected, an integer from 0 to 2^31-1");
  EXPECT_EQ(label_error("{npu_id=2147483648|a|F|COMP_NODE|runtime=1}"),
            "23: node0: 'npu_id=2147483648': a rank is expected, an integer from 0 to 2^31-1");
  EXPECT_EQ(label_error("{0|a|F|COMP_NODE|runtime=1}"), "23: node0: '0': npu_id=… is expected");
  EXPECT_EQ(label_error("{npu_id=0|a|F|COMP_NODE|runtime=}"), "46: node0: 'runtime=': a number is expected");
  EXPECT_EQ(label_error("{npu_id=0|a|F|COMP_NODE|runtime=1s}"), "46: node0: 'runtime=1s': a number is expected");
  EXPECT_EQ(label_error("{npu_id=0|a|F|COMP_NODE|runtime=1e10}"),
            "46: node0: 'runtime=1e10': a time beyond 2^63 ns");
  EXPECT_EQ(label_error("{npu_id=0|a|F|COMP_NODE|runtime=inf}"),
            "46: node0: 'runtime=inf': a finite time from 0 on is expected");
  EXPECT_EQ(label_error("{npu_id=0|a|F|COMM_SEND_RECV_NODE|dst=1|src=0|size=1}"),
            "56: node0: 'dst=1' stands where src=… is expected");
  EXPECT_EQ(label_error("{npu_id=0|a|F|COMM_SEND_RECV_NODE|src=1|dst=0|size=-1}"),
            "68: node0: 'size=-1': a size in bytes is expected, an integer from 0 to 2^63-1");
  EXPECT_EQ(label_error("{a|Foward|{0|1}}"),
            "25: node0: 'Foward' is no type of task: Forward, Backward, Comm, Update or Barrier");
  EXPECT_EQ(label_error("{a|Forward|{-1|1}}"), "34: node0: '-1': a finite time from 0 on is expected");
  EXPECT_EQ(label_error("{a|Forward|{0|}}"), "36: node0: '': a number is expected");
  EXPECT_EQ(label_error("{npu_id=0|\xff|F|COMP_NODE|runtime=1}"), "22: node0: a task's name must be UTF-8");
  for (const char* label : {"", "x", "{", "}", "{}", "{a|b", "a{b}", "{a}b", "{a|Forward|{0|1|2}}",
                            "{a|Forward|0|1}", "{npu_id=0|a|F|OTHER_NODE|runtime=1}", "{1|2|3|4|5|6|7|8|9}"}) {
    EXPECT_NE(label_error(label).find("is none of a task graph's"), std::string::npos) << label;
  }
  // Behind line breaks in the label.
  EXPECT_EQ(error("digraph{node0[label=\"{npu_id=0|a|F\n|COMP_NODE|\n runtime=x}\"]}"),
            "g.dot:3:2: node0: 'runtime=x': a number is expected");
  // Where the label is put together, its beginning.
  EXPECT_EQ(error("digraph{node0[label=\"{npu_id=0|a|F\\\n|COMP_NODE|runtime=x}\"]}"),
            "g.dot:1:22: node0: 'runtime=x': a number is expected");
  EXPECT_EQ(error("digraph{node0[label=\"{npu_id=0|a|F|\" +\n \"COMP_NODE|runtime=x}\"]}"),
            "g.dot:1:22: node0: 'runtime=x': a number is expected");
}

TEST(Flexflow, LongTokensAreRefusedAndLongCommentsAreNot) {
  EXPECT_EQ(error("digraph {\n a = \"" + std::string(3 << 20U, 'x') + "\" }"),
            "g.dot:2:6: a name or string of more than 1 MiB");
  EXPECT_EQ(
      outlines("/*" + std::string(3 << 20U, 'x') + "*///" + std::string(3 << 20U, 'y') + "\n" + graph(comp(0, 0))),
      (Outlines{"c0"}));
}

TEST(Flexflow, RanksWithoutEnd) {
  EXPECT_EQ(error(graph(comp(0, 2147483647))),
            "g.dot:2:1: node0 (c0) is on rank 2147483647, but rank 0 has no task: ranks must be 0…2147483647 "
            "without gaps");
}

TEST(Flexflow, OddOwnersAreReported) {
  const std::string text =
      graph("node0 [label=\"{ npu_id=7 | x | Comm | COMM_SEND_RECV_NODE | src=0 | dst=1 | size=1 }\"]");
  const auto input = memory_input("g.dot", text);
  Diagnostics diagnostics;
  EXPECT_EQ(read_all(*input, {}, diagnostics).size(), 2U);
  ASSERT_EQ(diagnostics.warnings(), 1U);
  EXPECT_EQ(format_diagnostic(diagnostics.all()[0]),
            "g.dot:2:1: warning: npu_id=7 is neither source nor destination of this transfer; it is not used "
            "[flexflow]");
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

TEST(Flexflow, OptionsAreChecked) {
  const std::string text = graph(comp(0, 0));
  for (const auto& [key, value, message] : std::vector<std::array<std::string, 3>>{
           {"single", "1", "single=1: expected no or yes"},
           {"cross", "drop", "cross=drop: expected error or message"},
           {"devices", "map.csv", "devices=map.csv: the tasks of g.dot name their ranks themselves"}}) {
    EXPECT_EQ(error(text, options_of({{key, value}})), ": " + message);
  }
  EXPECT_EQ(error(graph("node0 [label=\"{ Forward | { 0 | 1 } }\"]")),
            "g.dot: this task graph does not say on which devices its tasks run; name a device map with "
            "devices=FILE, or ask for one trace of all with single=yes");
}

class Devices : public ::testing::Test {
 protected:
  void SetUp() override { path_ = fs::temp_directory_path() / ("etkit_devices_" + std::to_string(::getpid())); }
  void TearDown() override { fs::remove(path_); }

  // Ranks by the outlines; or the error, with "map" for the map's path.
  Outlines outlines_with(const std::string& map, const std::string& text) {
    write(map);
    return outlines(text, options_of({{"devices", path_.string()}}));
  }
  std::string error_with(const std::string& map, const std::string& text) {
    write(map);
    return shortened(error(text, options_of({{"devices", path_.string()}})));
  }
  std::string warnings_with(const std::string& map, const std::string& text) {
    write(map);
    const auto input = memory_input("g.dot", text);
    Diagnostics diagnostics;
    (void)read_all(*input, options_of({{"devices", path_.string()}}), diagnostics);
    std::string out;
    for (const Diagnostic& d : diagnostics.all()) out += format_diagnostic(d) + "\n";
    return shortened(out);
  }

 private:
  void write(const std::string& map) const { std::ofstream(path_) << map; }
  [[nodiscard]] std::string shortened(std::string s) const {
    for (std::size_t at = s.find(path_.string()); at != std::string::npos; at = s.find(path_.string()))
      s.replace(at, path_.string().size(), "map");
    return s;
  }
  fs::path path_;
};

const std::string& stock() {
  static const std::string text = graph(
      "node0 [label=\"{ a_0 | Forward | { 0 | 1 } }\"]\n"
      "node1 [label=\"{ Comm | { 1 | 2 } }\"]\n"
      "node2 [label=\"{ a_1 | Backward | { 2 | 3 } }\"]\n"
      "node3 [label=\"{ a_2 | Update | { 3 | 4 } }\"]\n"
      "node0 -> node1 -> node2 -> node3");
  return text;
}

TEST_F(Devices, ByNodeByNameAndByPattern) {
  EXPECT_EQ(outlines_with("node0,0\na_*,1\nComm,0,1,8\n", stock()), (Outlines{"c0; S1<c0", "R1; c2<R1; c3<c2"}));
  // The entry of a node counts first, then the order of the file.
  EXPECT_EQ(outlines_with("a_?,1\na_2,0\n*,1,0,8\n0,0\n1,0,1,8\n", stock()),
            (Outlines{"c0; S1<c0", "R1; c2<R1; c3<c2"}));
  EXPECT_EQ(outlines_with("a_2,0\na_?,1\n0,0\nC*,0,1,8\n2,0\n", stock()),
            (Outlines{"c0; S1<c0; c2<S1; c3<c2", "R1"}));
  // Within a rank: a copy.
  EXPECT_EQ(outlines_with("{\"a*\": 0, \"Comm\": [0, 0, \"1KiB\"]}", stock()),
            (Outlines{"c0; c1<c0; c2<c1; c3<c2"}));
}

TEST_F(Devices, UnmatchedTasksAreErrorsAndUnmatchedEntriesWarnings) {
  EXPECT_EQ(error_with("a_0,0\n", stock()),
            "g.dot:3:1: 3 tasks have no entry in map: node1 (Comm), node2 (a_1), node3 (a_2)");
  // A rank is for computations, a pair for Comm tasks.
  EXPECT_EQ(error_with("*,0\n", stock()), "g.dot:3:1: 1 task has no entry in map: node1 (Comm)");
  EXPECT_EQ(warnings_with("a*,0\nb*,0\nnode1,0,1,8\nnode9,1\n", stock()),
            "map:2:1: warning: 'b*' matches no task of g.dot [devices]\n"
            "map:4:1: warning: 'node9' matches no task of g.dot [devices]\n");
  EXPECT_EQ(warnings_with("a*,0\nComm,0,1\n", stock()),
            "map:2:1: warning: 1 transfer has no size in the map: 0 bytes are taken [devices]\n");
}

TEST_F(Devices, EntriesOfTheWrongKind) {
  EXPECT_EQ(error_with("node1,0\na*,0\n", stock()),
            "map:1:1: node1 (Comm) is a Comm task: its source and destination are expected");
  EXPECT_EQ(error_with("Comm,0,1,8\nnode0,0,1\na*,0\n", stock()),
            "map:2:1: node0 (a_0) is a Forward task: one rank is expected");
  EXPECT_EQ(error_with("node1,0,1,8\n1,0,1,8\n", stock()), "map:2:1: node1 is given twice; first in line 1");
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "x" + std::to_string(i) + "*,0\n";
  EXPECT_EQ(error_with(many, stock()), "map:4097:1: more than 4096 patterns");
}

}  // namespace
}  // namespace convert::testing
