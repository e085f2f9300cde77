// SPDX-License-Identifier: MIT
#include "formats/flexflow/rank_plan.h"

#include <algorithm>
#include <limits>

namespace convert::flexflow {
namespace {

bool is_transfer(const Task& t) { return t.kind == TaskKind::transfer; }

std::string where(const Task& t) {
  if (!is_transfer(t)) return "rank " + std::to_string(t.rank);
  return "rank " + std::to_string(t.rank) + " to rank " + std::to_string(t.peer);
}

[[noreturn]] void fail_edge(const TaskGraph& graph, const TaskEdge& e) {
  const Task& from = graph.tasks[e.from];
  const Task& to = graph.tasks[e.to];
  const bool computations = !is_transfer(from) && !is_transfer(to);
  throw input_error(graph.locate(e),
                    "no transfer carries the edge from " + graph.describe(from) + ", " + where(from) + ", to " +
                        graph.describe(to) + ", " + where(to) +
                        (computations ? "; use cross=message to make it a message of 0 bytes" : ""));
}

// Throws if a rank from 0 to `last` has no task. `nodes`: number of nodes of all ranks.
void check_ranks(const TaskGraph& graph, Rank last, std::size_t nodes) {
  const auto each = [&](const auto& visit) {
    for (const Task& t : graph.tasks) {
      visit(t, t.rank);
      if (is_transfer(t)) visit(t, t.peer);
    }
  };
  // N nodes cannot cover more than N ranks, so higher ranks need no mark.
  std::vector<bool> seen(std::min<std::size_t>(last, nodes) + 1);
  each([&](const Task&, Rank r) {
    if (r < seen.size()) seen[r] = true;
  });
  const auto missing = static_cast<std::size_t>(std::ranges::find(seen, false) - seen.begin());
  if (missing == seen.size()) return;
  each([&](const Task& t, Rank r) {
    if (r <= missing) return;
    throw input_error(graph.locate(t), graph.describe(t) + " is on rank " + std::to_string(r) + ", but rank " +
                                           std::to_string(missing) + " has no task: ranks must be 0…" +
                                           std::to_string(last) + " without gaps");
  });
}

}  // namespace

void join_ranks(TaskGraph& graph, Cross cross) {
  const std::size_t edges = graph.edges.size();
  for (std::size_t i = 0; i < edges; ++i) {
    const TaskEdge e = graph.edges[i];
    const Task& from = graph.tasks[e.from];
    const Task& to = graph.tasks[e.to];
    if (is_carried(from.ranks(), to.ranks())) continue;
    if (cross == Cross::error || is_transfer(from) || is_transfer(to)) fail_edge(graph, e);
    const auto message = static_cast<std::uint32_t>(graph.tasks.size());
    if (message >= largest_tag) throw input_error(graph.locate(e), "more than 2^31-1 tasks");
    const Task t{
        .bytes = 0,
        .number = to.number,
        .line = e.line,
        .column = e.column,
        .rank = from.rank,
        .peer = to.rank,
        .name = graph.texts.add("node" + std::to_string(from.number) + " -> node" + std::to_string(to.number)),
        .kind = TaskKind::transfer};
    graph.tasks.push_back(t);
    graph.edges[i].to = message;
    graph.edges.push_back({.from = message, .to = e.to, .line = e.line, .column = e.column});
  }
}

RankPlan::RankPlan(const TaskGraph& graph, const TaskOrder& order) {
  Rank last = 0;
  std::size_t nodes = 0;
  for (const Task& t : graph.tasks) {
    nodes += is_transfer(t) ? 2 : 1;
    last = std::max(last, t.rank);
    if (is_transfer(t)) last = std::max(last, t.peer);
  }
  if (nodes >= std::numeric_limits<std::uint32_t>::max())
    throw input_error({.file = graph.file}, "more than 2^32 nodes");
  check_ranks(graph, last, nodes);
  begin_.assign(std::size_t{last} + 2, 0);
  for (const Task& t : graph.tasks) {
    ++begin_[t.rank + 1];
    if (is_transfer(t)) ++begin_[t.peer + 1];
  }
  for (std::size_t r = 1; r < begin_.size(); ++r) begin_[r] += begin_[r - 1];
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  entries_.resize(nodes);
  id_.resize(graph.tasks.size());
  receive_id_.resize(graph.tasks.size());
  for (const std::uint32_t i : order.order) {
    const Task& t = graph.tasks[i];
    id_[i] = next[t.rank] - begin_[t.rank];
    entries_[next[t.rank]++] = i << 1U;
    if (!is_transfer(t)) continue;
    receive_id_[i] = next[t.peer] - begin_[t.peer];
    entries_[next[t.peer]++] = i << 1U | 1U;
  }
}

RankPlan RankPlan::whole(const TaskOrder& order) {
  RankPlan plan;
  plan.whole_ = true;
  const auto nodes = static_cast<std::uint32_t>(order.order.size());
  plan.begin_ = {0, nodes};
  plan.entries_.resize(nodes);
  plan.id_.resize(nodes);
  for (std::uint32_t id = 0; id < nodes; ++id) {
    plan.entries_[id] = order.order[id] << 1U;
    plan.id_[order.order[id]] = id;
  }
  return plan;
}

void RankPlan::parents(const TaskGraph& graph, const TaskOrder& order, Rank rank, PlannedNode node,
                       std::vector<NodeId>& out) const {
  out.clear();
  for (const std::uint32_t p : order.parents(node.task)) {
    const Awaited which = whole_ ? Awaited::task_or_send : awaited(graph.tasks[p].ranks(), rank, node.receive);
    if (which != Awaited::nothing) out.push_back(which == Awaited::receive ? receive_id_[p] : id_[p]);
  }
  if (out.size() < 2) return;
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

}  // namespace convert::flexflow
