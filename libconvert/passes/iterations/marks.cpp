// SPDX-License-Identifier: MIT
#include <algorithm>
#include <unordered_map>

#include "graph/algorithms.h"
#include "passes/iterations/order.h"

namespace convert {
namespace {

const Name iteration_attribute{std::string_view("iteration")};
constexpr std::string_view profiler_step = "ProfilerStep#";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Returns the number at a place of a name, if there is one that 63 bits hold.
std::optional<IterationMark> number_at(std::string_view name, std::size_t at) {
  std::int64_t number = 0;
  std::size_t end = at;
  for (; end < name.size() && name[end] >= '0' && name[end] <= '9'; ++end) {
    if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, name[end] - '0', &number))
      return std::nullopt;
  }
  if (end == at) return std::nullopt;
  return IterationMark{.number = number, .at = at, .digits = end - at};
}

// Returns where what may stand between the word and the number ends.
std::size_t behind_separators(std::string_view name, std::size_t at) {
  const auto separates = [](char c) { return c == ' ' || c == '_' || c == '#' || c == '=' || c == ':'; };
  while (at < name.size() && separates(name[at])) ++at;
  return at;
}

}  // namespace

std::optional<IterationMark> iteration_mark(std::string_view name) {
  if (name.starts_with(profiler_step)) {
    auto mark = number_at(name, profiler_step.size());
    if (mark) mark->begins = true;
    return mark;
  }
  constexpr std::string_view word = "teration";
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const bool whole =
        at > 0 && (name[at - 1] == 'i' || name[at - 1] == 'I') && (at == 1 || !is_letter(name[at - 2]));
    const std::size_t number = behind_separators(name, at + word.size());
    if (const auto mark = number_at(name, number); whole && mark) return mark;
  }
  return std::nullopt;
}

std::optional<IterationMark> iteration_mark(const NodeTable& table, const Node& node) {
  if (const IntValue v = int_value(table.attributes(node), iteration_attribute); v && v.value >= 0)
    return IterationMark{.number = v.value};
  return iteration_mark(table.name(node));
}

std::vector<std::uint32_t> iteration_order(const Trace& trace) {
  const Graph graph = build_graph(trace.nodes);
  std::vector<std::uint32_t> order = topological_order(graph);
  if (order.size() == graph.size()) return order;
  throw input_error({.file = trace.name, .rank = static_cast<std::int64_t>(trace.rank)},
                    "a dependency cycle, in which no iterations can be told apart; et-validate names it",
                    "iterations");
}

Iterations marked_iterations(const Trace& trace) {
  std::vector<std::optional<IterationMark>> marks;
  marks.reserve(trace.nodes.nodes.size());
  bool any = false, begins = false;
  for (const Node& n : trace.nodes.nodes) {
    marks.push_back(iteration_mark(trace.nodes, n));
    any = any || marks.back();
    begins = begins || (marks.back() && marks.back()->begins);
  }
  Iterations out;
  if (!any) return out;
  out.order = iteration_order(trace);
  out.of.assign(marks.size(), Iterations::prologue);
  std::unordered_map<std::int64_t, std::uint32_t> known;
  std::uint32_t now = Iterations::prologue;
  for (const std::uint32_t i : out.order) {
    if (marks[i] && marks[i]->begins == begins) {
      const auto [at, is_new] = known.try_emplace(marks[i]->number, static_cast<std::uint32_t>(out.numbers.size()));
      if (is_new) out.numbers.push_back(marks[i]->number);
      // The device's mark of a step comes late, and says nothing new.
      if (is_new || !begins) now = at->second;
    }
    out.of[i] = now;
  }
  return out;
}

}  // namespace convert
