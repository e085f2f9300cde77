// SPDX-License-Identifier: MIT
#include "formats/flexflow/task_graph.h"

#include <algorithm>
#include <utility>

#include "core/id_lookup.h"
#include "core/units.h"
#include "formats/flexflow/dot_lexer.h"
#include "formats/flexflow/task_label.h"

namespace convert::flexflow {
namespace {

using TokenKind = DotToken::Kind;

constexpr std::size_t most_edges = 0xffffffff;

std::string shown(const DotToken& token) {
  if (token.kind == TokenKind::end) return "the end of the file";
  const std::string text = shown_text(token.text, 40);
  return token.kind == TokenKind::quoted ? '"' + text + '"' : "'" + text + "'";
}

// A position in the file that outlives its token.
struct TextPlace {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};
TextPlace place_of(const DotToken& token) { return {token.line, token.column}; }

class GraphReader {
 public:
  GraphReader(Input& input, TaskGraph& graph, Diagnostics& diagnostics)
      : lexer_(input), graph_(graph), diagnostics_(diagnostics) {
    graph_.file = input.name();
  }

  void read() {
    advance();
    header();
    while (!token_.is('}')) {
      statement();
      if (token_.is(';')) advance();
    }
    advance();
    if (token_.is_keyword("digraph") || token_.is_keyword("graph") || token_.is_keyword("strict"))
      fail("a second graph; a file must contain one task graph");
    if (token_.kind != TokenKind::end) fail("unexpected " + shown(token_) + " after the graph");
    if (graph_.tasks.empty()) throw input_error({.file = graph_.file}, "the graph has no tasks");
    report_odd_owners();
  }

 private:
  void advance() { token_ = lexer_.next(); }
  [[noreturn]] void fail(const std::string& message) const { throw input_error(lexer_.locate(token_), message); }
  [[noreturn]] void fail(TextPlace at, const std::string& message) const {
    throw input_error({.file = graph_.file, .line = at.line, .column = at.column}, message);
  }
  void expect(char symbol) {
    if (!token_.is(symbol)) fail(std::string("'") + symbol + "' is expected, not " + shown(token_));
    advance();
  }

  void header() {
    if (token_.kind == TokenKind::end) fail("an empty file is not a task graph");
    if (token_.is_keyword("strict")) advance();
    if (token_.is_keyword("graph")) fail("an undirected graph; a task graph is a digraph");
    if (!token_.is_keyword("digraph")) fail("'digraph' is expected, not " + shown(token_));
    advance();
    if (token_.is_name()) skip_name();
    expect('{');
  }

  // Skips a name, with all [+ "…"] that continue a quoted string.
  void skip_name() {
    take_name([] {});
  }
  // Calls each() for the name and for each string that continues it.
  template <typename Each>
  void take_name(const Each& each) {
    const bool quoted = token_.kind == TokenKind::quoted;
    each();
    advance();
    while (quoted && token_.is('+')) {
      advance();
      if (token_.kind != TokenKind::quoted) fail("a quoted string is expected after '+', not " + shown(token_));
      each();
      advance();
    }
  }

  void statement() {
    if (token_.is_keyword("subgraph") || token_.is('{')) fail("a subgraph is not part of a task graph");
    if (token_.kind == TokenKind::end) fail("the graph has no closing '}'");
    if (!token_.is_name()) fail("a statement is expected, not " + shown(token_));
    if (token_.is_keyword("graph") || token_.is_keyword("edge") || token_.is_keyword("node")) {
      const bool node = token_.is_keyword("node");
      advance();
      if (!token_.is('[')) fail("'[' is expected, not " + shown(token_));
      attributes();
      if (node && has_label_) fail(label_at_, "a label for all nodes is not part of a task graph");
      return;
    }
    name_.assign(token_.text);
    const TextPlace at = place_of(token_);
    const bool quoted = token_.kind == TokenKind::quoted;
    advance();
    if (token_.is('=')) {  // an attribute of the graph
      advance();
      if (!token_.is_name()) fail("a value is expected, not " + shown(token_));
      return skip_name();
    }
    if (quoted && token_.is('+')) fail("a concatenated node name is not part of a task graph");
    if (token_.is(':')) fail("a port is not part of a task graph");
    const std::uint32_t number = number_of(name_, at);
    if (token_.kind == TokenKind::arrow || token_.kind == TokenKind::line) {
      edges(number);
    } else {
      task(number, at);
    }
  }

  // Returns K of "node<K>".
  [[nodiscard]] std::uint32_t number_of(std::string_view name, TextPlace at) const {
    constexpr std::string_view prefix = "node";
    const std::string_view digits = name.starts_with(prefix) ? name.substr(prefix.size()) : std::string_view();
    const auto k = parse_unsigned(digits);
    if (!k || *k > 0xffffffffU || (digits.size() > 1 && digits[0] == '0')) {
      fail(at, "'" + shown_text(name, 40) +
                   "' is not a node name; the nodes of a task graph are named node0, node1, …");
    }
    return static_cast<std::uint32_t>(*k);
  }

  void edges(std::uint32_t from) {
    while (token_.kind == TokenKind::arrow || token_.kind == TokenKind::line) {
      if (token_.kind == TokenKind::line) fail("'--' is expected in undirected graphs only; write '->'");
      advance();
      if (token_.is_keyword("subgraph") || token_.is('{')) fail("a subgraph is not part of a task graph");
      if (!token_.is_name()) fail("a node is expected after '->', not " + shown(token_));
      const std::uint32_t to = number_of(token_.text, place_of(token_));
      graph_.edges.push_back({.from = from, .to = to, .line = token_.line, .column = token_.column});
      if (graph_.edges.size() >= most_edges) fail("more than 2^32-1 edges");
      from = to;
      advance();
      if (token_.is(':')) fail("a port is not part of a task graph");
    }
    if (token_.is('[')) attributes();
  }

  void task(std::uint32_t number, TextPlace at) {
    has_label_ = false;
    if (token_.is('[')) attributes();
    if (!has_label_) fail(at, name_ + " has no label");
    Task t{.number = number, .line = at.line, .column = at.column};
    try {
      parse_label(label_, parsed_, t);
    } catch (const BadLabel& bad) {
      fail(place_in_label(bad.offset), name_ + ": " + bad.message);
    }
    if (graph_.tasks.empty()) graph_.dialect = parsed_.dialect;
    if (parsed_.dialect != graph_.dialect) {
      fail(label_at_, name_ + " has FlexFlow's " +
                          (parsed_.dialect == Dialect::stock
                               ? "native label (times), but earlier nodes have the label for Chakra"
                               : "label for Chakra, but earlier nodes have the native label (times)"));
    }
    if (t.peer != no_rank && parsed_.owner != t.rank && parsed_.owner != t.peer && odd_owners_++ == 0) {
      first_odd_owner_ = at;
      odd_owner_ = parsed_.owner;
    }
    if (t.rank == t.peer) t.peer = no_rank;
    t.name = graph_.texts.add(parsed_.name);
    t.type = graph_.texts.add(parsed_.type);
    graph_.tasks.push_back(t);
    // The index of a task is the tag of its message.
    if (graph_.tasks.size() >= largest_tag) fail("more than 2^31-1 nodes");
  }

  // Reads [a=b, c=d; e] […]; only `label` is used.
  void attributes() {
    has_label_ = false;
    while (token_.is('[')) {
      advance();
      while (!token_.is(']')) {
        if (!token_.is_name()) fail("an attribute or ']' is expected, not " + shown(token_));
        const bool label = token_.text == "label";
        if (label && has_label_) fail("'label' is given twice");
        skip_name();
        expect('=');
        value(label);
        if (token_.is(',') || token_.is(';')) advance();
      }
      advance();
    }
  }

  void value(bool label) {
    if (!token_.is_name()) fail("a value is expected, not " + shown(token_));
    if (!label) return skip_name();
    has_label_ = true;
    label_at_ = place_of(token_);
    if (token_.kind == TokenKind::quoted) ++label_at_.column;
    label_.clear();
    label_as_written_ = true;
    bool first = true;
    take_name([&] {
      if (!std::exchange(first, false)) label_as_written_ = false;
      add_to_label(token_.text);
    });
  }

  // A backslash with a line break joins lines; all other escapes belong to the label.
  void add_to_label(std::string_view text) {
    if (text.find("\\\n") == std::string_view::npos) {
      label_ += text;
      return;
    }
    label_as_written_ = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::string_view pair = text.substr(i, 2);
      if (pair[0] != '\\') {
        label_ += pair[0];
      } else {
        if (pair != "\\\n") label_ += pair;
        ++i;
      }
    }
  }

  [[nodiscard]] TextPlace place_in_label(std::size_t offset) const {
    if (!label_as_written_) return label_at_;
    const std::string_view before = std::string_view(label_).substr(0, offset);
    const auto lines = static_cast<std::uint32_t>(std::ranges::count(before, '\n'));
    if (lines == 0) return {label_at_.line, label_at_.column + static_cast<std::uint32_t>(offset)};
    return {label_at_.line + lines, static_cast<std::uint32_t>(offset - before.rfind('\n'))};
  }

  void report_odd_owners() {
    if (odd_owners_ == 0) return;
    diagnostics_.warning(
        {.file = graph_.file, .line = first_odd_owner_.line, .column = first_odd_owner_.column}, "flexflow",
        "npu_id=" + std::to_string(odd_owner_) + " is neither source nor destination of this transfer" +
            (odd_owners_ == 1 ? "" : ", likewise for " + counted(odd_owners_ - 1, "other")) + "; it is ignored");
  }

  DotLexer lexer_;
  TaskGraph& graph_;
  Diagnostics& diagnostics_;
  DotToken token_;
  std::string name_;
  std::string label_;
  TextPlace label_at_;            // position of its first character
  bool label_as_written_ = true;  // the label is one string without joined lines
  bool has_label_ = false;
  TaskLabel parsed_;
  std::uint64_t odd_owners_ = 0;
  TextPlace first_odd_owner_;
  Rank odd_owner_ = 0;
};

// Replaces node numbers by task indices.
void resolve(TaskGraph& graph) {
  std::vector<Task>& tasks = graph.tasks;
  const IdLookup lookup(tasks.size(), [&](std::size_t i) { return std::optional<std::uint64_t>(tasks[i].number); });
  if (const auto twice = lookup.repeated()) {
    const auto is_it = [&](const Task& t) { return t.number == *twice; };
    const auto first = std::ranges::find_if(tasks, is_it);
    const auto second = std::find_if(first + 1, tasks.end(), is_it);
    throw input_error(
        graph.locate(*second),
        "node" + std::to_string(*twice) + " is declared twice; first in line " + std::to_string(first->line));
  }
  for (TaskEdge& e : graph.edges) {
    const TaskEdge written = e;
    e.from = lookup.find(e.from);
    e.to = lookup.find(e.to);
    if (e.from != IdLookup::none && e.to != IdLookup::none) continue;
    const auto name = [](std::uint32_t number) { return "node" + std::to_string(number); };
    throw input_error(graph.locate(written),
                      "the edge " + name(written.from) + " -> " + name(written.to) + " names " +
                          name(e.from == IdLookup::none ? written.from : written.to) + ", which is not declared");
  }
}

}  // namespace

std::uint32_t TextPool::add(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(texts_.size());
  const auto [at, added] = numbers_.emplace(text, number);
  texts_.push_back(&at->first);
  return number;
}

std::string TaskGraph::describe(const Task& t) const {
  const std::string_view name = texts.view(t.name);
  return "node" + std::to_string(t.number) + (name.empty() ? "" : " (" + shown_text(name, 80) + ")");
}

TaskGraph read_task_graph(Input& input, Diagnostics& diagnostics) {
  TaskGraph graph;
  GraphReader(input, graph, diagnostics).read();
  resolve(graph);
  return graph;
}

bool sniff_task_graph(std::string_view head) {
  const auto input = memory_input("", head);
  DotLexer lexer(*input);
  try {
    DotToken token = lexer.next();
    if (token.is_keyword("strict")) token = lexer.next();
    if (!token.is_keyword("digraph")) return false;
    token = lexer.next();
    if (!token.is_name() || token.text != "taskgraph") return false;
    return lexer.next().is('{');
  } catch (const Error&) {
    return false;
  }
}

}  // namespace convert::flexflow
