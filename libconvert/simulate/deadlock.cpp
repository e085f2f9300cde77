// SPDX-License-Identifier: MIT
#include "simulate/deadlock.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "core/units.h"

namespace convert {
namespace {

using ChannelOp = std::pair<std::uint32_t, std::uint32_t>;

// The ops that have not ended, numbered densely in ascending order, and what each waits for.
class WaitGraph {
 public:
  explicit WaitGraph(const ReplayRemains& remains);

  [[nodiscard]] std::size_t size() const { return ops_.size(); }
  [[nodiscard]] std::uint32_t op(std::uint32_t v) const { return ops_[v]; }
  [[nodiscard]] bool posted(std::uint32_t v) const { return posted_[v]; }
  // Ascending.
  [[nodiscard]] std::span<const std::uint32_t> waits_for(std::uint32_t v) const {
    return {targets_.data() + begin_[v], begin_[v + 1] - begin_[v]};
  }

 private:
  std::vector<ChannelOp> edges_of_receives(const ReplayRemains& remains) const;

  std::vector<std::uint32_t> ops_;
  std::vector<bool> posted_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> targets_;
};

constexpr std::uint32_t ended = 0xffffffff;

WaitGraph::WaitGraph(const ReplayRemains& remains) {
  const ReplayProgram& program = remains.program;
  std::vector<std::uint32_t> number(program.ops.size(), ended);
  for (const std::uint32_t p : remains.posted) number[p] = 0;
  for (const RankProgram& rank : program.ranks) {
    for (std::uint32_t node = 0; node < rank.feeder.size(); ++node) {
      std::uint32_t& n = number[rank.first_op + node];
      if (n == ended && rank.feeder.waits_for(node) == 0) continue;
      posted_.push_back(n == 0);
      n = static_cast<std::uint32_t>(ops_.size());
      ops_.push_back(rank.first_op + node);
    }
  }
  std::vector<ChannelOp> edges = edges_of_receives(remains);
  for (auto& [from, to] : edges) from = number[from], to = number[to];
  for (std::uint32_t v = 0; v < ops_.size(); ++v) {
    const RankProgram& rank = program.ranks[program.ops[ops_[v]].rank];
    for (const std::uint32_t child : rank.feeder.children(ops_[v] - rank.first_op)) {
      edges.emplace_back(number[rank.first_op + child], v);
    }
  }
  std::sort(edges.begin(), edges.end());
  begin_.assign(ops_.size() + 1, 0);
  for (const auto& [from, to] : edges) {
    ++begin_[from + 1];
    targets_.push_back(to);
  }
  for (std::size_t v = 0; v < ops_.size(); ++v) begin_[v + 1] += begin_[v];
}

// The k-th posted receive of a channel waits for the k-th of its sends that have not started.
std::vector<ChannelOp> WaitGraph::edges_of_receives(const ReplayRemains& remains) const {
  const std::vector<Op>& ops = remains.program.ops;
  std::vector<ChannelOp> sends;
  for (const std::uint32_t op : ops_) {
    if (ops[op].type == OpType::send) sends.emplace_back(ops[op].channel, op);
  }
  std::sort(sends.begin(), sends.end());
  std::vector<ChannelOp> edges;
  auto send = sends.begin();
  for (const std::uint32_t recv : remains.posted) {
    while (send != sends.end() && send->first < ops[recv].channel) ++send;
    if (send == sends.end() || send->first != ops[recv].channel) continue;
    edges.emplace_back(recv, send->second);
    ++send;
  }
  return edges;
}

// The shortest circle, as far as a bounded search finds it; some circle if there is one.
class CycleFinder {
 public:
  explicit CycleFinder(const WaitGraph& graph) : graph_(graph) {}

  std::vector<std::uint32_t> find() {
    trim();
    const auto first = std::find(core_.begin(), core_.end(), true);
    if (first == core_.end()) return {};
    walk(static_cast<std::uint32_t>(first - core_.begin()));
    seen_.assign(graph_.size(), ended);
    from_.resize(graph_.size());
    for (const bool receives : {true, false}) {
      for (std::uint32_t v = 0; v < graph_.size() && best_.size() > 2 && budget_ > 0; ++v) {
        if (core_[v] && graph_.posted(v) == receives) search(v);
      }
    }
    // Begin with the lowest.
    std::rotate(best_.begin(), std::min_element(best_.begin(), best_.end()), best_.end());
    return best_;
  }

 private:
  // Leaves the nodes from which a circle can be reached.
  void trim() {
    const auto n = static_cast<std::uint32_t>(graph_.size());
    std::vector<std::size_t> begin(n + std::size_t{1}, 0);
    std::vector<std::size_t> left(n);
    for (std::uint32_t v = 0; v < n; ++v) {
      left[v] = graph_.waits_for(v).size();
      for (const std::uint32_t w : graph_.waits_for(v)) ++begin[w + 1];
    }
    for (std::uint32_t v = 0; v < n; ++v) begin[v + 1] += begin[v];
    std::vector<std::uint32_t> sources(begin[n]);
    std::vector<std::size_t> fill(begin.begin(), begin.end() - 1);
    for (std::uint32_t v = 0; v < n; ++v) {
      for (const std::uint32_t w : graph_.waits_for(v)) sources[fill[w]++] = v;
    }
    core_.assign(n, true);
    std::vector<std::uint32_t> free;
    for (std::uint32_t v = 0; v < n; ++v) {
      if (left[v] == 0) free.push_back(v);
    }
    while (!free.empty()) {
      const std::uint32_t v = free.back();
      free.pop_back();
      core_[v] = false;
      for (std::size_t i = begin[v]; i < begin[v + 1]; ++i) {
        if (--left[sources[i]] == 0) free.push_back(sources[i]);
      }
    }
  }

  [[nodiscard]] std::uint32_t first_in_core(std::uint32_t v) const {
    const auto targets = graph_.waits_for(v);
    return *std::find_if(targets.begin(), targets.end(), [this](std::uint32_t w) { return core_[w]; });
  }

  void walk(std::uint32_t v) {
    std::vector<std::uint32_t> place(graph_.size(), ended);
    std::vector<std::uint32_t> path;
    for (; place[v] == ended; v = first_in_core(v)) {
      place[v] = static_cast<std::uint32_t>(path.size());
      path.push_back(v);
    }
    best_.assign(path.begin() + place[v], path.end());
  }

  // Breadth first from `start` back to itself.
  void search(std::uint32_t start) {
    queue_.assign(1, start);
    seen_[start] = start;
    std::size_t length = 1;  // of a circle closed from the current level
    for (std::size_t i = 0, level_end = 1; i < queue_.size(); ++i) {
      if (i == level_end) {
        level_end = queue_.size();
        if (++length >= best_.size()) return;
      }
      for (const std::uint32_t w : graph_.waits_for(queue_[i])) {
        if (budget_-- <= 0) return;
        if (w == start) return keep(start, queue_[i]);
        if (!core_[w] || seen_[w] == start) continue;
        seen_[w] = start;
        from_[w] = queue_[i];
        queue_.push_back(w);
      }
    }
  }

  void keep(std::uint32_t start, std::uint32_t last) {
    std::vector<std::uint32_t> cycle;
    for (; last != start; last = from_[last]) cycle.push_back(last);
    cycle.push_back(start);
    if (cycle.size() >= best_.size()) return;
    std::reverse(cycle.begin(), cycle.end());
    best_ = std::move(cycle);
  }

  const WaitGraph& graph_;
  std::vector<bool> core_;
  std::vector<std::uint32_t> best_;
  std::vector<std::uint32_t> seen_;
  std::vector<std::uint32_t> from_;
  std::vector<std::uint32_t> queue_;
  std::int64_t budget_ = 20'000'000;
};

class Reporter {
 public:
  explicit Reporter(const ReplayRemains& remains) : remains_(remains), program_(remains.program) {}

  WaitReport run() {
    list_unmatched();
    const WaitGraph graph(remains_);
    report_.waiting_total = graph.size();
    // By rank, its receives first: the ops of a rank are one run of the graph's numbers.
    for (std::uint32_t begin = 0; begin < graph.size();) {
      std::uint32_t end = begin;
      while (end < graph.size() && rank_of(graph.op(end)) == rank_of(graph.op(begin))) ++end;
      for (const bool receives : {true, false}) {
        for (std::uint32_t v = begin; v < end && report_.waiting.size() < WaitReport::max_listed; ++v) {
          if (graph.posted(v) == receives) list_waiting(graph, v);
        }
      }
      begin = end;
    }
    for (const std::uint32_t v : CycleFinder(graph).find()) report_.cycle.push_back(ref(graph.op(v)));
    return std::move(report_);
  }

 private:
  using Key = std::tuple<std::int32_t, Rank, Rank>;  // tag, source, destination

  [[nodiscard]] Rank rank_of(std::uint32_t op) const { return program_.ops[op].rank; }
  [[nodiscard]] NodeRef ref(std::uint32_t op) const {
    const RankProgram& rank = program_.ranks[rank_of(op)];
    return {rank_of(op), rank.id(op - rank.first_op)};
  }

  // Messages match in order, so the unmatched ones are a channel's last sends.
  void list_unmatched() {
    std::vector<ChannelOp> sends;
    for (std::uint32_t op = 0; op < program_.ops.size(); ++op) {
      const Op& o = program_.ops[op];
      const RankProgram& rank = program_.ranks[o.rank];
      if (o.type == OpType::send && remains_.unclaimed[o.channel] != 0 &&
          rank.feeder.waits_for(op - rank.first_op) == 0) {
        sends.emplace_back(o.channel, op);
      }
    }
    std::sort(sends.begin(), sends.end());
    std::vector<std::uint32_t> unmatched;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const std::uint32_t channel = sends[i].first;
      const std::size_t ahead = i + remains_.unclaimed[channel];
      if (ahead < sends.size() && sends[ahead].first == channel) continue;
      unmatched.push_back(sends[i].second);
    }
    std::sort(unmatched.begin(), unmatched.end());
    report_.unmatched_total = unmatched.size();
    for (const std::uint32_t op : unmatched) {
      const Op& o = program_.ops[op];
      const std::int32_t tag = program_.channels[o.channel].tag;
      sizes_.emplace_back(Key{tag, o.rank, o.peer}, o.value);
      if (report_.unmatched.size() < WaitReport::max_listed)
        report_.unmatched.push_back({ref(op), o.peer, tag, o.value});
    }
    std::sort(sizes_.begin(), sizes_.end());
  }

  void list_waiting(const WaitGraph& graph, std::uint32_t v) {
    const Op& op = program_.ops[graph.op(v)];
    const auto targets = graph.waits_for(v);
    WaitingNode w{.node = ref(graph.op(v))};
    if (!targets.empty()) w.on = ref(graph.op(targets.front()));
    if (graph.posted(v)) {
      w.what = targets.empty() ? WaitingNode::For::nothing : WaitingNode::For::send;
      w.peer = op.peer;
      w.tag = program_.channels[op.channel].tag;
      w.bytes = op.value;
      const Key key{program_.channels[op.channel].tag, op.peer, op.rank};
      const auto other = std::lower_bound(sizes_.begin(), sizes_.end(), std::pair{key, std::int64_t{0}});
      if (targets.empty() && other != sizes_.end() && other->first == key) w.other_bytes = other->second;
    }
    report_.waiting.push_back(w);
  }

  const ReplayRemains& remains_;
  const ReplayProgram& program_;
  WaitReport report_;
  std::vector<std::pair<Key, std::int64_t>> sizes_;  // of the unmatched messages
};

std::string text(const NodeRef& n) { return "rank " + std::to_string(n.rank) + " node " + std::to_string(n.node); }

std::string text(const WaitingNode& w) {
  if (w.what == WaitingNode::For::dependency) return text(w.node) + " depends on node " + std::to_string(w.on.node);
  const std::string message = "tag " + std::to_string(w.tag) + ", " + std::to_string(w.bytes) + " bytes";
  if (w.what == WaitingNode::For::send) {
    return text(w.node) + " receives from " + text(w.on) + " (" + message + "), which has not started";
  }
  std::string line =
      text(w.node) + " receives from rank " + std::to_string(w.peer) + " (" + message + "), which has no such send";
  if (w.other_bytes)
    line += " left; one of " + std::to_string(*w.other_bytes) + " bytes with that tag is never received";
  return line;
}

std::string text(const UnmatchedSend& s) {
  return text(s.node) + " sends to rank " + std::to_string(s.peer) + " (tag " + std::to_string(s.tag) + ", " +
         std::to_string(s.bytes) + " bytes), which never receives it";
}

}  // namespace

WaitReport report_waits(const ReplayRemains& remains) { return Reporter(remains).run(); }

std::vector<std::string> describe(const WaitReport& report, std::size_t max_lines) {
  std::vector<std::string> lines;
  const auto list = [&](const auto& entries, std::uint64_t total, const char* what) {
    const std::size_t shown = max_lines == 0 ? entries.size() : std::min(entries.size(), max_lines);
    for (std::size_t i = 0; i < shown; ++i) lines.push_back(text(entries[i]));
    if (shown < total) lines.push_back("… " + std::to_string(total - shown) + " more " + what);
  };
  list(report.waiting, report.waiting_total, "waiting nodes");
  list(report.unmatched, report.unmatched_total, "messages that are never received");
  if (report.cycle.empty()) return lines;
  std::string cycle = "circle of waits: ";
  for (const NodeRef& n : report.cycle) cycle += std::to_string(n.rank) + ":" + std::to_string(n.node) + " → ";
  lines.push_back(cycle + std::to_string(report.cycle[0].rank) + ":" + std::to_string(report.cycle[0].node));
  return lines;
}

}  // namespace convert
