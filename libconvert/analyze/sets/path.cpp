// SPDX-License-Identifier: MIT
#include "analyze/sets/path.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace convert {
namespace {

using Work = PathRank::Work;

// Graph of all ranks with an edge for each dependency and message; nodes are numbered consecutively. The nodes of a
// collective wait for each other: none of its nodes starts before the last one is ready.
class SetGraph {
 public:
  explicit SetGraph(const std::vector<PathRank>& ranks) : ranks_(ranks) {
    for (const PathRank& r : ranks) {
      first_.push_back(size_);
      size_ += r.parents.size();
    }
    open_.reserve(size_);
    for (const PathRank& r : ranks) open_.insert(open_.end(), r.parents.begin(), r.parents.end());
    receive_of_.assign(size_, none);
    call_of_.assign(size_, no_index);
    pair_messages();
    join_calls();
  }

  static constexpr std::uint64_t none = UINT64_MAX;
  struct Call {
    std::vector<std::uint64_t> members;
  };

  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> first_;       // by rank index: the number of its node 0
  std::vector<std::uint32_t> open_;        // by node: number of nodes it waits for
  std::vector<std::uint64_t> receive_of_;  // by node: the receive of a send
  std::vector<std::uint32_t> call_of_;     // by node: index in calls_
  std::vector<Call> calls_;
  std::uint64_t pairs_ = 0;

  [[nodiscard]] std::size_t position(std::uint64_t node) const {
    return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), node) - first_.begin()) - 1;
  }
  // Calls visit(child) for each node that waits for this node.
  template <class Visit>
  void for_each_child(std::uint64_t node, std::size_t at, const Visit& visit) const {
    const PathRank& r = ranks_[at];
    const std::size_t i = node - first_[at];
    for (std::uint32_t c = r.child_begin[i]; c < r.child_begin[i + 1]; ++c) visit(first_[at] + r.children[c]);
    if (receive_of_[node] != none) visit(receive_of_[node]);
  }

 private:
  void pair_messages() {
    std::vector<RankMessages> messages;
    std::vector<Rank> numbers;
    for (const PathRank& r : ranks_) {
      messages.push_back(r.messages);
      numbers.push_back(r.rank);
    }
    peers_to_positions(messages, numbers);
    for_each_message_pair(messages, [&](const MessagePair& m) {
      const std::uint64_t from = first_[m.from_rank] + m.from_node, to = first_[m.to_rank] + m.to_node;
      receive_of_[from] = to;
      ++open_[to];
      ++pairs_;
    });
  }

  void join_calls() {
    std::map<std::pair<std::string, std::size_t>, std::uint32_t> numbers;  // by group and call number
    std::map<std::string, std::vector<std::uint32_t>> by_group;
    for (std::size_t at = 0; at < ranks_.size(); ++at) {
      for (const GroupUse& use : ranks_[at].collectives) {
        std::vector<std::uint32_t>& calls = by_group[use.group];
        for (std::size_t k = 0; k < use.calls.size(); ++k) {
          if (k == calls.size()) {
            calls.push_back(static_cast<std::uint32_t>(calls_.size()));
            calls_.emplace_back();
          }
          const std::uint64_t node = first_[at] + use.calls[k].node;
          calls_[calls[k]].members.push_back(node);
          call_of_[node] = calls[k];
        }
      }
    }
  }

  const std::vector<PathRank>& ranks_;
};

// Walks the graph once and computes the earliest end of each node for the given times.
class Walk {
 public:
  using TimeOf = Picoseconds (*)(const PathRank& rank, std::size_t node);
  Walk(const std::vector<PathRank>& ranks, const SetGraph& graph, TimeOf time_of, bool keep_cause)
      : ranks_(ranks),
        graph_(graph),
        time_of_(time_of),
        keep_cause_(keep_cause),
        open_(graph.open_),
        ready_ps_(graph.size_) {
    if (keep_cause) cause_.assign(graph.size_, SetGraph::none);
    for (const SetGraph::Call& c : graph.calls_) calls_.push_back({.open = c.members.size()});
    for (std::uint64_t i = 0; i < graph.size_; ++i) {
      if (open_[i] == 0) queue_.push_back(i);
    }
    while (!queue_.empty()) {
      const std::uint64_t node = queue_.back();
      queue_.pop_back();
      take(node);
    }
  }

  Sum span_ps;
  std::uint64_t last = SetGraph::none;  // the node that ends last
  std::uint64_t done = 0;

  // Returns the chain that ends with `last`, from its first node.
  [[nodiscard]] std::vector<std::uint64_t> chain() const {
    std::vector<std::uint64_t> nodes;
    for (std::uint64_t i = last; i != SetGraph::none; i = cause_[i]) nodes.push_back(i);
    std::reverse(nodes.begin(), nodes.end());
    return nodes;
  }

 private:
  struct CallState {
    std::uint64_t open;
    Sum ready_ps{};
    std::uint64_t cause = SetGraph::none;
  };

  void take(std::uint64_t node) {
    const std::uint32_t call = graph_.call_of_[node];
    if (call == no_index) return end(node, ready_ps_[node]);
    CallState& state = calls_[call];
    if (ready_ps_[node] > state.ready_ps || state.cause == SetGraph::none) {
      state.ready_ps = std::max(state.ready_ps, ready_ps_[node]);
      if (keep_cause_) state.cause = cause_[node];
    }
    if (--state.open != 0) return;
    for (const std::uint64_t member : graph_.calls_[call].members) {
      if (keep_cause_) cause_[member] = state.cause;
      end(member, state.ready_ps);
    }
  }

  void end(std::uint64_t node, Sum end_ps) {
    const std::size_t at = graph_.position(node);
    end_ps.add(time_of_(ranks_[at], node - graph_.first_[at]));
    ++done;
    if (last == SetGraph::none || end_ps > span_ps) {
      span_ps = end_ps;
      last = node;
    }
    graph_.for_each_child(node, at, [&](std::uint64_t child) {
      if (end_ps > ready_ps_[child] || (keep_cause_ && cause_[child] == SetGraph::none)) {
        ready_ps_[child] = std::max(ready_ps_[child], end_ps);
        if (keep_cause_) cause_[child] = node;
      }
      if (--open_[child] == 0) queue_.push_back(child);
    });
  }

  const std::vector<PathRank>& ranks_;
  const SetGraph& graph_;
  TimeOf time_of_;
  bool keep_cause_;
  std::vector<std::uint32_t> open_;
  std::vector<Sum> ready_ps_;
  std::vector<std::uint64_t> cause_;  // by node: the last node it waited for
  std::vector<CallState> calls_;
  std::vector<std::uint64_t> queue_;
};

}  // namespace

SetPath find_path(const std::vector<PathRank>& ranks) {
  SetPath path;
  for (const PathRank& r : ranks) {
    Sum busy;
    for (std::size_t i = 0; i < r.time_ps.size(); ++i) {
      path.work_ps.add(r.time_ps[i]);
      if (r.work[i] == Work::compute) busy.add(r.time_ps[i]);
    }
    if (busy > path.busiest_ps) {
      path.busiest_ps = busy;
      path.busiest_rank = r.rank;
    }
  }
  const SetGraph graph(ranks);
  const Walk all(
      ranks, graph, [](const PathRank& r, std::size_t i) { return r.time_ps[i]; }, true);
  path.span_ps = all.span_ps;
  path.stuck = graph.size_ - all.done;
  path.pairs = graph.pairs_;
  path.joined_calls = static_cast<std::uint64_t>(std::count_if(
      graph.calls_.begin(), graph.calls_.end(), [](const SetGraph::Call& c) { return c.members.size() > 1; }));
  for (const std::uint64_t node : all.chain()) {
    const std::size_t at = graph.position(node);
    const std::size_t i = node - graph.first_[at];
    ++path.span_nodes;
    if (ranks[at].time_ps[i] != 0)
      path.steps.push_back({ranks[at].rank, ranks[at].ids[i], ranks[at].time_ps[i], ranks[at].work[i]});
  }
  const auto free_communication = [](const PathRank& r, std::size_t i) {
    return r.work[i] == Work::communication ? 0 : r.time_ps[i];
  };
  const auto free_computing = [](const PathRank& r, std::size_t i) {
    return r.work[i] == Work::communication ? r.time_ps[i] : 0;
  };
  path.compute_span_ps = Walk(ranks, graph, free_communication, false).span_ps;
  path.comm_span_ps = Walk(ranks, graph, free_computing, false).span_ps;
  const auto one = [](const PathRank&, std::size_t) -> Picoseconds { return 1; };
  path.depth = static_cast<std::uint64_t>(Walk(ranks, graph, one, false).span_ps.get());
  return path;
}

}  // namespace convert
