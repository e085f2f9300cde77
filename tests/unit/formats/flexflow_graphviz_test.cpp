// SPDX-License-Identifier: MIT
// Graphviz as the reference for the meaning of dot. Its program nop(1), if installed, rewrites a graph in canonical
// form, which must read the same. Graphs that Graphviz rejects must be rejected.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "formats/flexflow/task_graph.h"
#include "io/subprocess.h"
#include "sanitized.h"

namespace convert::flexflow {
namespace {

// Output of Graphviz; nothing if it rejects the text.
std::optional<std::string> rewritten(const std::string& text) {
  const ChildResult result = run_child({"nop"}, text, std::chrono::seconds(60), std::size_t{16} << 20U);
  if (result.exit_code != 0) return std::nullopt;
  return result.out;
}

bool has_graphviz() {
  try {
    return rewritten("digraph a {}\n").has_value();
  } catch (const Error&) {
    return false;
  }
}

#define REQUIRE_GRAPHVIZ() \
  if (!has_graphviz()) GTEST_SKIP() << "no Graphviz on this machine"

// Tasks by number as "NUMBER: NAME|TYPE|RANK|PEER|BYTES|NS", then edges as "FROM>TO", in a canonical order.
std::string meaning(const std::string& text) {
  Diagnostics diagnostics;
  const TaskGraph g = read_task_graph(*memory_input("g.dot", text), diagnostics);
  std::map<std::uint32_t, std::string> tasks;
  std::multiset<std::string> edges;
  for (const Task& t : g.tasks) {
    tasks[t.number] = std::string(g.texts.view(t.name)) + '|' + std::string(g.texts.view(t.type)) + '|' +
                      std::to_string(t.rank) + '|' + std::to_string(t.peer) + '|' + std::to_string(t.bytes) + '|' +
                      std::to_string(t.duration_ns);
  }
  for (const TaskEdge& e : g.edges)
    edges.insert(std::to_string(g.tasks[e.from].number) + ">" + std::to_string(g.tasks[e.to].number));
  std::string out;
  for (const auto& [number, task] : tasks) out += std::to_string(number) + ": " + task + "\n";
  for (const std::string& e : edges) out += e + "\n";
  return out;
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::string graph() {
    const std::uint32_t tasks = 1 + pick(12);
    std::vector<std::string> statements;
    for (std::uint32_t k = 0; k < tasks; ++k) statements.push_back(task(k));
    for (std::uint32_t i = pick(8); i > 0; --i) {
      std::string chain = name(pick(tasks));
      for (std::uint32_t n = 1 + pick(3); n > 0; --n) chain += blank() + "->" + blank() + name(pick(tasks));
      statements.push_back(chain + blank() + one_of({"", "[color=red]", "[a=\"x;]\", b=c]"}));
    }
    for (const char* s : {"rankdir=LR", "node [shape=record]", "Edge[style=dashed]", "graph [a=b;c=d,e=-.5]"})
      if (pick(3) == 0) statements.emplace_back(s);
    std::shuffle(statements.begin(), statements.end(), random_);
    std::string out = one_of({"", "// c\n", "/* a\n* b */"}) + one_of({"digraph", "DiGraph"}) + blank() + " " +
                      one_of({"taskgraph", "\"taskgraph\"", ""}) + blank() + "{";
    for (const std::string& s : statements) out += blank() + s + blank() + one_of({";", "\n", ";\n"});
    return out + "}" + one_of({"", "\n", "// end"});
  }

 private:
  std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  std::string one_of(const std::vector<std::string>& texts) {
    return texts[pick(static_cast<std::uint32_t>(texts.size()))];
  }
  std::string blank() { return one_of({"", " ", "\n", "\t", " /* x -> y; */ ", "// ]\n", "\n# line 1\n"}); }
  std::string name(std::uint32_t k) {
    const std::string plain = "node" + std::to_string(k);
    return pick(4) == 0 ? '"' + plain + '"' : plain;
  }
  std::string task(std::uint32_t k) {
    const std::string text = one_of({"linear", "a b", "x\\\"y", "p\\|q", "\\{z\\}", "c\\\\d", "é", "\\<t\\>"});
    std::string label = "{ npu_id=" + std::to_string(pick(3)) + " | " + text + " | F | ";
    if (pick(2) == 0) {
      label += "COMP_NODE | runtime=" + one_of({"0.5", "1e-05", "0"});
    } else {
      label += "COMM_SEND_RECV_NODE | src=" + std::to_string(pick(3)) + "|dst=" + std::to_string(pick(3)) +
               "|size=" + std::to_string(pick(1000));
    }
    label += " }";
    std::string value = '"' + label + '"';
    if (pick(4) == 0)
      value = '"' + label.substr(0, 12) + '"' + blank() + "+" + blank() + '"' + label.substr(12) + '"';
    if (pick(6) == 0) value = '"' + label.substr(0, 12) + "\\\n" + label.substr(12) + '"';
    const std::string attribute = "label" + blank() + "=" + blank() + value;
    return name(k) + blank() + "[" + one_of({"", "shape=\"record\",", "shape=record;", "x=1 "}) + attribute +
           one_of({"", ",shape=record", ";"}) + "]" + one_of({"", "[y=2]"});
  }

  std::mt19937 random_;
};

TEST(FlexflowGraphviz, ReadsTheSameAsItsOwnWords) {
  REQUIRE_GRAPHVIZ();
  for (unsigned seed = 0; seed < test::rounds(200U); ++seed) {
    const std::string text = Generator(seed).graph();
    const auto again = rewritten(text);
    ASSERT_TRUE(again) << text;
    EXPECT_EQ(meaning(text), meaning(*again)) << text;
  }
}

TEST(FlexflowGraphviz, RefusesWhatItRefuses) {
  REQUIRE_GRAPHVIZ();
  const std::string task = "node0 [label=\"{ npu_id=0 | a | F | COMP_NODE | runtime=1 }\"";
  for (const std::string& text :
       {"digraph {" + task + "}", "digraph {" + task + "] node0 -> }", "digraph {" + task + "];;}",
        "digraph {" + task + " b]}", "digraph " + task + "]}", "digraph a b {" + task + "]}",
        "digraph {" + task + ",,]}", "digraph {" + task + "] -> node0}", "digraph {" + task + "] node0 -- node0}",
        "digraph {" + task + "]; = 3}", "digraph {" + task + "]; a = }", "digraph {" + task + "]",
        "digraph {" + task + "; ; a]}", "digraph {" + task + "] node}", "digraph {" + task + " + x]}"}) {
    EXPECT_FALSE(rewritten(text)) << text;
    EXPECT_THROW((void)meaning(text), Error) << text;
  }
}

}  // namespace
}  // namespace convert::flexflow
