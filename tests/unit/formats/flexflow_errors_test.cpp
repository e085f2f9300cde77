// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bad_files.h"
#include "common/testdata.h"
#include "flexflow_sample.h"

namespace convert::test {
namespace {

namespace fs = std::filesystem;

TEST(Flexflow, FilesThatMustBeRefused) {
  expect_errors(
      testdata("flexflow"),
      {
          {"bad-backwards.dot", "2:39: node0: the task ends at 1 before it begins, at 2"},
          {"bad-cross.dot",
           "4:12: no transfer carries the edge from node0 (a), rank 0, to node1 (b), rank 1; use cross=message to "
           "make it a message of 0 bytes"},
          {"bad-cycle.dot", "3:3: a cycle of 2 tasks: node1 -> node2 -> node1"},
          {"bad-duplicate.dot", "3:3: node0 is declared twice; first in line 2"},
          {"bad-gap.dot", "3:3: node1 (b) is on rank 2, but rank 1 has no task: ranks must be 0…2 without gaps"},
          {"bad-label.dot",
           "2:17: node0: the label \"{ npu_id=0 | a | COMP_NODE | runtime=1 }\" is not a task label; the forms are "
           "{ npu_id=R | NAME | … | COMP_NODE | runtime=SECONDS }, { npu_id=R | NAME | … | COMM_SEND_RECV_NODE | "
           "src=R | dst=R | size=BYTES }, { NAME | TYPE | { START | END } }"},
          {"bad-mixed.dot",
           "3:17: node1 has FlexFlow's native label (times), but earlier nodes have the label for Chakra"},
          {"bad-nan.dot", "2:50: node0: 'runtime=nan': a finite time of at least 0 is expected"},
          {"bad-negative.dot", "2:50: node0: 'runtime=-1': a finite time of at least 0 is expected"},
          {"bad-size.dot",
           "2:79: node0: 'size=9223372036854775808': a size in bytes is expected, an integer from 0 to 2^63-1"},
          {"bad-truncated.dot", "2:16: unterminated string"},
          {"bad-two-graphs.dot", "2:1: a second graph; a file must contain one task graph"},
          {"bad-undeclared.dot", "3:12: the edge node0 -> node1 names node1, which is not declared"},
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
      {"digraph {\na=b;", "2:5: the graph has no closing '}'"},
      {"digraph { a=b;; }", "1:15: a statement is expected, not ';'"},
      {"digraph { subgraph x { } }", "1:11: a subgraph is not part of a task graph"},
      {"digraph { {} }", "1:11: a subgraph is not part of a task graph"},
      {"digraph { node0 -> { node1 } }", "1:20: a subgraph is not part of a task graph"},
      {"digraph { node0 -- node1 }", "1:17: '--' is expected in undirected graphs only; write '->'"},
      {"digraph { node0:p -> node1 }", "1:16: a port is not part of a task graph"},
      {"digraph { node0 -> node1:p }", "1:25: a port is not part of a task graph"},
      {"digraph { node0 -> ; }", "1:20: a node is expected after '->', not ';'"},
      {"digraph { a -> node1 }",
       "1:11: 'a' is not a node name; the nodes of a task graph are named node0, node1, …"},
      {"digraph { node01 [] }",
       "1:11: 'node01' is not a node name; the nodes of a task graph are named node0, node1, …"},
      {"digraph { node4294967296 }",
       "1:11: 'node4294967296' is not a node name; the nodes of a task graph are named node0, node1, …"},
      {"digraph { node0 [label=<x>] }", "1:24: an HTML string is not part of a task graph"},
      {"digraph { node [label=x] }", "1:23: a label for all nodes is not part of a task graph"},
      {"digraph { node0 [label=x label=y] }", "1:26: 'label' is given twice"},
      {"digraph { node0 [label=] }", "1:24: a value is expected, not ']'"},
      {"digraph { node0 [=x] }", "1:18: an attribute or ']' is expected, not '='"},
      {"digraph { node0 [a, b=c] }", "1:19: '=' is expected, not ','"},
      {"digraph { node0 [a=b", "1:21: an attribute or ']' is expected, not the end of the file"},
      {"digraph { a= ; }", "1:14: a value is expected, not ';'"},
      {"digraph { \"a\" + b = c }", "1:15: a concatenated node name is not part of a task graph"},
      {"digraph { a = \"b\" + c }", "1:21: a quoted string is expected after '+', not 'c'"},
      {"digraph { node }", "1:16: '[' is expected, not '}'"},
      {"digraph { 1a }", "1:11: '1a' is neither a name nor a number; put it in quotes"},
      {"digraph { 1.2.3 }", "1:11: '1.2.' is neither a name nor a number; put it in quotes"},
      {"digraph { @ }", "1:11: unexpected '@'"},
      {std::string("digraph { \0 }", 13), "1:11: unexpected byte 0x00"},
      {"digraph { /* }", "1:11: unterminated comment"},
      {"digraph {\n  / }", "2:3: unexpected '/'"},
      {"digraph { \"a\n\\", "1:11: unterminated string"},
      {"digraph { # no line }", "1:11: unexpected '#'"},
      {graph(comp(0, 0)) + "x", "5:1: unexpected 'x' after the graph"},
      {graph(comp(0, 0)) + "strict digraph {}", "5:1: a second graph; a file must contain one task graph"},
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
            "46: node0: 'runtime=1e10': the time exceeds 2^63 ns");
  EXPECT_EQ(label_error("{npu_id=0|a|F|COMP_NODE|runtime=inf}"),
            "46: node0: 'runtime=inf': a finite time of at least 0 is expected");
  EXPECT_EQ(label_error("{npu_id=0|a|F|COMM_SEND_RECV_NODE|dst=1|src=0|size=1}"),
            "56: node0: 'dst=1' is not valid here; src=… is expected");
  EXPECT_EQ(label_error("{npu_id=0|a|F|COMM_SEND_RECV_NODE|src=1|dst=0|size=-1}"),
            "68: node0: 'size=-1': a size in bytes is expected, an integer from 0 to 2^63-1");
  EXPECT_EQ(label_error("{a|Foward|{0|1}}"),
            "25: node0: 'Foward' is not a task type; the types are Forward, Backward, Comm, Update and Barrier");
  EXPECT_EQ(label_error("{a|Forward|{-1|1}}"), "34: node0: '-1': a finite time of at least 0 is expected");
  EXPECT_EQ(label_error("{a|Forward|{0|}}"), "36: node0: '': a number is expected");
  EXPECT_EQ(label_error("{npu_id=0|\xff|F|COMP_NODE|runtime=1}"), "22: node0: a task's name must be UTF-8");
  for (const char* label : {"", "x", "{", "}", "{}", "{a|b", "a{b}", "{a}b", "{a|Forward|{0|1|2}}",
                            "{a|Forward|0|1}", "{npu_id=0|a|F|OTHER_NODE|runtime=1}", "{1|2|3|4|5|6|7|8|9}"}) {
    EXPECT_NE(label_error(label).find("is not a task label; the forms are"), std::string::npos) << label;
  }
  // After line breaks in the label.
  EXPECT_EQ(error("digraph{node0[label=\"{npu_id=0|a|F\n|COMP_NODE|\n runtime=x}\"]}"),
            "g.dot:3:2: node0: 'runtime=x': a number is expected");
  // For a concatenated label, its beginning.
  EXPECT_EQ(error("digraph{node0[label=\"{npu_id=0|a|F\\\n|COMP_NODE|runtime=x}\"]}"),
            "g.dot:1:22: node0: 'runtime=x': a number is expected");
  EXPECT_EQ(error("digraph{node0[label=\"{npu_id=0|a|F|\" +\n \"COMP_NODE|runtime=x}\"]}"),
            "g.dot:1:22: node0: 'runtime=x': a number is expected");
}

TEST(Flexflow, LongTokensAreRefusedAndLongCommentsAreNot) {
  EXPECT_EQ(error("digraph {\n a = \"" + std::string(3 << 20U, 'x') + "\" }"),
            "g.dot:2:6: a name or string longer than 1 MiB");
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
  EXPECT_EQ(
      format_diagnostic(diagnostics.all()[0]),
      "g.dot:2:1: warning: npu_id=7 is neither source nor destination of this transfer; it is ignored [flexflow]");
}

TEST(Flexflow, OptionsAreChecked) {
  const std::string text = graph(comp(0, 0));
  for (const auto& [key, value, message] : std::vector<std::array<std::string, 3>>{
           {"single", "1", "single=1: expected no or yes"},
           {"cross", "drop", "cross=drop: expected error or message"},
           {"devices", "map.csv", "devices=map.csv: the tasks of g.dot already name their ranks; omit devices"}}) {
    EXPECT_EQ(error(text, options_of({{key, value}})), ": " + message);
  }
  EXPECT_EQ(error(graph("node0 [label=\"{ Forward | { 0 | 1 } }\"]")),
            "g.dot: the task graph has no devices of its tasks; give a device map with devices=FILE, or request "
            "one trace of all tasks with single=yes");
}

}  // namespace
}  // namespace convert::test
