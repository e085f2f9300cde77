// SPDX-License-Identifier: MIT
#include <unordered_map>

#include "graph/algorithms.h"
#include "passes/iterations/order.h"

namespace convert {
namespace {

const Name iteration_attribute{std::string_view("iteration")};

}  // namespace

std::optional<IterationMark> iteration_mark(const NodeTable& table, const Node& node) {
  if (const IntValue v = int_value(table.attributes(node), iteration_attribute); v && v.value >= 0)
    return IterationMark{.number = v.value};
  return iteration_in_name(table.name(node));
}

std::vector<std::uint32_t> iteration_order(const Trace& trace) {
  const Graph graph = build_graph(trace.nodes);
  std::vector<std::uint32_t> order = topological_order(graph);
  if (order.size() == graph.size()) return order;
  throw input_error({.file = trace.name, .rank = static_cast<std::int64_t>(trace.rank)},
                    "dependency cycle, so iterations cannot be distinguished; run et-validate to find it",
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
      // The device's mark of a step comes late and adds no information.
      if (is_new || !begins) now = at->second;
    }
    out.of[i] = now;
  }
  return out;
}

}  // namespace convert
