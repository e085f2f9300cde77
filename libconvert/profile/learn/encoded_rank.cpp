// SPDX-License-Identifier: MIT
#include "profile/learn/encoded_rank.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <queue>
#include <tuple>

#include "graph/graph.h"
#include "graph/lanes.h"
#include "profile/learn/parts.h"

namespace convert {
namespace {

constexpr std::uint32_t nearest_backs = 8;

// Sorts the nodes of a rank: communications by the order of the job, other nodes as recorded.
class RankOrderer {
 public:
  RankOrderer(const JobLog& job, std::size_t rank, const Trace& trace, const Graph& graph)
      : graph_(graph),
        places_(job.order.places[rank]),
        parts_(parts_again(trace, job.rule, job.ranks[rank].period)) {
    for (std::uint32_t& p : parts_.part) p = job.order.part[p];
    const std::size_t n = trace.nodes.nodes.size();
    call_.assign(n, no_index);
    std::uint32_t calls = 0;
    for (const std::uint32_t i : parts_.order) {
      if (is_communication(trace.nodes, trace.nodes.nodes[i])) call_[i] = calls++;
    }
  }
  // Returns the call number of a node; no_index if it is not a communication.
  [[nodiscard]] std::uint32_t call(std::uint32_t node) const { return call_[node]; }
  [[nodiscard]] std::uint32_t part(std::uint32_t node) const { return parts_.part[node]; }

  [[nodiscard]] std::vector<std::uint32_t> run() {
    if (is_in_order()) return std::move(parts_.order);
    return sorted();
  }

 private:
  [[nodiscard]] bool is_in_order() const {
    if (!std::ranges::is_sorted(places_)) return false;
    const auto part = [&](std::uint32_t i) { return parts_.part[i]; };
    return std::ranges::is_sorted(parts_.order, {}, part);
  }

  // Topological sort that delays a communication until all earlier communications of the order are done.
  std::vector<std::uint32_t> sorted() {
    std::vector<std::uint32_t> turn(places_.size()), number(places_.size());
    for (std::uint32_t c = 0; c < turn.size(); ++c) turn[c] = c;
    std::ranges::sort(turn, {}, [&](std::uint32_t c) { return places_[c]; });
    for (std::uint32_t t = 0; t < turn.size(); ++t) number[turn[t]] = t;
    using Entry =
        std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // part, position in the recorded order, node
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    std::vector<std::uint32_t> place(graph_.size()), open(graph_.size()), held(places_.size(), no_index), out;
    for (std::uint32_t p = 0; p < parts_.order.size(); ++p) place[parts_.order[p]] = p;
    std::uint32_t next = 0;
    const auto add = [&](std::uint32_t i) {
      if (call_[i] != no_index && number[call_[i]] != next) {
        held[number[call_[i]]] = i;
      } else {
        ready.emplace(parts_.part[i], place[i], i);
      }
    };
    for (std::uint32_t i = 0; i < graph_.size(); ++i) {
      open[i] = static_cast<std::uint32_t>(graph_.parents(i).size());
      if (open[i] == 0) add(i);
    }
    while (!ready.empty()) {
      const std::uint32_t i = std::get<2>(ready.top());
      ready.pop();
      out.push_back(i);
      if (call_[i] != no_index && ++next < held.size() && held[next] != no_index) add(held[next]);
      for (const Edge& e : graph_.children(i)) {
        if (--open[e.node] == 0) add(e.node);
      }
    }
    return out;
  }

  const Graph& graph_;
  const std::vector<std::uint32_t>& places_;
  RankParts parts_;
  std::vector<std::uint32_t> call_;  // by node
};

class Encoder {
 public:
  Encoder(const Encoding& by, std::size_t job, std::size_t rank, const Trace& trace)
      : by_(by),
        job_(job),
        rank_(rank),
        table_(trace.nodes),
        graph_(build_graph(trace.nodes)),
        orderer_(by.jobs[job], rank, trace, graph_),
        nodes_(trace.nodes.nodes.size()),
        lane_of_deps_(dependency_lanes(by.lanes.lanes())),
        in_lane_(by.lanes.lanes().size(), 0),
        in_class_(by.classes.size(), 0) {}

  EncodedRank run() {
    for (const std::uint32_t i : orderer_.run()) {
      // A node after a node of a later part belongs to the later part.
      const std::uint32_t part = std::max(orderer_.part(i), out_.parts.empty() ? 0 : out_.parts.back().part);
      if (out_.parts.empty() || out_.parts.back().part != part) begin_part(part);
      add(i);
    }
    end_gap(no_index, {}, 0);
    return std::move(out_);
  }

 private:
  // A node with a token, or an omitted node, which is replaced by its dependencies.
  struct Known {
    bool left_out = true;
    std::uint32_t lane = 0, node_class = 0;
    std::uint64_t in_lane = 0, in_class = 0;  // number of earlier nodes in the lane and of the class
    Range parents{};                          // of an omitted node, in parents_
  };

  void begin_part(std::uint32_t part) {
    if (!out_.parts.empty()) end_gap(no_index, {}, 0);
    out_.parts.push_back({.part = part, .first = static_cast<std::uint32_t>(out_.gaps.size())});
  }

  void add(std::uint32_t i) {
    find_parents(i);
    const Node& node = table_.nodes[i];
    const std::uint32_t call = orderer_.call(i);
    const std::uint32_t node_class = call != no_index
                                         ? by_.classes.calls(job_, rank_)[call]
                                         : by_.classes.plain(plain_class(table_, node), table_.name(node));
    Known& known = nodes_[i];
    if (node_class == no_index) {
      known.parents = {static_cast<std::uint32_t>(parents_.size()), static_cast<std::uint32_t>(found_.size())};
      for (const auto& [parent, kinds] : found_) parents_.push_back(parent);
      return;
    }
    const std::uint32_t lane = by_.lanes.number(job_, rank_, lane_of(table_, node));
    const NodeCost cost = cut(cost_of(table_, node), by_.classes.most(node_class));
    const std::uint32_t token = token_of(node_class, lane, cost.duration_ns);
    known = {.left_out = false,
             .lane = lane_of_deps_[lane],
             .node_class = node_class,
             .in_lane = in_lane_[lane_of_deps_[lane]]++,
             .in_class = in_class_[node_class]++};
    if (call != no_index) return end_gap(token, cost, by_.jobs[job_].order.places[rank_][call]);
    segment_.push_back(token);
    out_.costs.push_back(cost);
  }

  static NodeCost cut(NodeCost cost, const NodeCost& most) {
    cost.duration_ns = std::min(cost.duration_ns, most.duration_ns);
    cost.delay_ns = std::min(cost.delay_ns, most.delay_ns);
    cost.operations = std::min(cost.operations, most.operations);
    cost.bytes = std::min(cost.bytes, most.bytes);
    return cost;
  }

  // Lists the nodes with tokens that a node depends on, with the kinds of dependencies.
  void find_parents(std::uint32_t i) {
    found_.clear();
    const auto add_parent = [&](std::uint32_t parent, std::uint8_t kind) { found_[parent] |= kind; };
    for (const Edge& e : graph_.parents(i)) {
      const std::uint8_t kind = e.kind == DepKind::data ? 1 : 2;
      const Known& known = nodes_[e.node];
      if (!known.left_out) add_parent(e.node, kind);
      for (std::uint32_t p = 0; known.left_out && p < known.parents.count; ++p)
        add_parent(parents_[known.parents.begin + p], kind);
    }
  }

  std::uint32_t token_of(std::uint32_t node_class, std::uint32_t lane, std::uint64_t duration_ns) {
    token_.node_class = node_class;
    token_.lane = lane;
    const bool is_long = static_cast<double>(duration_ns) > by_.classes.long_ns(node_class);
    token_.magnitude = is_long ? static_cast<std::uint32_t>(std::bit_width(duration_ns)) / 2 : 0;
    token_.deps.clear();
    for (const auto& [parent, kinds] : found_) {
      const Known& p = nodes_[parent];
      const std::uint64_t in_lane = in_lane_[p.lane] - 1 - p.in_lane,
                          in_class = in_class_[p.node_class] - 1 - p.in_class;
      TokenDep dep{.kinds = kinds, .what = p.lane, .back = static_cast<std::uint32_t>(in_lane)};
      if (in_lane >= nearest_backs) {
        dep.of_class = in_class < nearest_backs;
        if (dep.of_class) dep.what = p.node_class;
        dep.back = static_cast<std::uint32_t>(dep.of_class ? in_class : in_lane);
      }
      token_.deps.push_back(dep);
    }
    std::ranges::sort(token_.deps);
    token_.deps.erase(std::ranges::unique(token_.deps).begin(), token_.deps.end());
    const auto [at, is_new] = token_numbers_.try_emplace(token_, static_cast<std::uint32_t>(out_.tokens.size()));
    if (is_new) out_.tokens.push_back(token_);
    return at->second;
  }

  void end_gap(std::uint32_t call, const NodeCost& cost, std::uint32_t place) {
    if (out_.parts.empty()) return;
    const auto nodes = static_cast<std::uint32_t>(segment_.size());
    const auto [at, is_new] =
        segment_numbers_.try_emplace(segment_, static_cast<std::uint32_t>(out_.segments.size()));
    if (is_new) out_.segments.push_back(segment_);
    segment_.clear();
    out_.gaps.push_back({.segment = at->second,
                         .first = static_cast<std::uint32_t>(out_.costs.size()) - nodes,
                         .call = call,
                         .place = place,
                         .call_cost = cost});
    ++out_.parts.back().gaps;
  }

  const Encoding& by_;
  std::size_t job_, rank_;
  const NodeTable& table_;
  Graph graph_;
  RankOrderer orderer_;
  EncodedRank out_;
  std::vector<Known> nodes_;
  std::vector<std::uint32_t> lane_of_deps_;
  std::vector<std::uint64_t> in_lane_, in_class_;
  std::vector<std::uint32_t> parents_;
  std::map<std::uint32_t, std::uint8_t> found_;
  Token token_;
  std::vector<std::uint32_t> segment_;
  std::map<Token, std::uint32_t> token_numbers_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> segment_numbers_;
};

}  // namespace

EncodedRank encode(const Encoding& by, std::size_t job, std::size_t rank, const Trace& trace) {
  return Encoder(by, job, rank, trace).run();
}

}  // namespace convert
