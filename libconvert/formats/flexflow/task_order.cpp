// SPDX-License-Identifier: MIT
#include "formats/flexflow/task_order.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <string>

#include "core/units.h"

namespace convert::flexflow {
namespace {

// Tasks at the other end of each task's edges: list[begin[i]] … list[begin[i + 1] - 1] for task i.
struct Index {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> list;
};

Index index_edges(const TaskGraph& graph, std::uint32_t TaskEdge::*by, std::uint32_t TaskEdge::*other) {
  Index index;
  index.begin.assign(graph.tasks.size() + 1, 0);
  for (const TaskEdge& e : graph.edges) ++index.begin[e.*by + 1];
  for (std::size_t i = 1; i < index.begin.size(); ++i) index.begin[i] += index.begin[i - 1];
  index.list.resize(graph.edges.size());
  std::vector<std::uint32_t> next(index.begin.begin(), index.begin.end() - 1);
  for (const TaskEdge& e : graph.edges) index.list[next[e.*by]++] = e.*other;
  return index;
}

// Every waiting task has a waiting parent, so a walk from parent to parent reaches some task twice.
[[noreturn]] void fail_cycle(const TaskGraph& graph, const TaskOrder& order,
                             const std::vector<std::uint32_t>& waiting) {
  const auto waits = [&](std::uint32_t t) { return waiting[t] != 0; };
  std::vector<std::uint32_t> path;
  std::vector<bool> seen(graph.tasks.size());
  auto at = static_cast<std::uint32_t>(std::ranges::find_if(waiting, [](std::uint32_t n) { return n != 0; }) -
                                       waiting.begin());
  for (; !seen[at]; at = *std::find_if(order.parents(at).begin(), order.parents(at).end(), waits)) {
    seen[at] = true;
    path.push_back(at);
  }
  path.erase(path.begin(), std::ranges::find(path, at));
  std::ranges::reverse(path);  // now in edge direction
  std::rotate(path.begin(), std::ranges::min_element(path), path.end());
  constexpr std::size_t shown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(path.size(), shown); ++i)
    text += "node" + std::to_string(graph.tasks[path[i]].number) + " -> ";
  if (path.size() > shown) text += "… -> ";
  throw input_error(graph.locate(graph.tasks[path[0]]), "a cycle of " + counted(path.size(), "task") + ": " + text +
                                                            "node" + std::to_string(graph.tasks[path[0]].number));
}

}  // namespace

TaskOrder order_tasks(const TaskGraph& graph) {
  const auto tasks = static_cast<std::uint32_t>(graph.tasks.size());
  TaskOrder result;
  {
    Index parents = index_edges(graph, &TaskEdge::to, &TaskEdge::from);
    result.first_parent = std::move(parents.begin);
    result.parent_list = std::move(parents.list);
  }
  const Index children = index_edges(graph, &TaskEdge::from, &TaskEdge::to);
  std::vector<std::uint32_t> waiting(tasks);  // number of parents that are not in the order yet
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t t = 0; t < tasks; ++t) {
    waiting[t] = static_cast<std::uint32_t>(result.parents(t).size());
    if (waiting[t] == 0) ready.push(t);
  }
  result.order.reserve(tasks);
  while (!ready.empty()) {
    const std::uint32_t t = ready.top();
    ready.pop();
    result.order.push_back(t);
    for (std::uint32_t i = children.begin[t]; i < children.begin[t + 1]; ++i) {
      if (--waiting[children.list[i]] == 0) ready.push(children.list[i]);
    }
  }
  if (result.order.size() != tasks) fail_cycle(graph, result, waiting);
  return result;
}

}  // namespace convert::flexflow
