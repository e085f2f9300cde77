// SPDX-License-Identifier: MIT
#include "simulate/engine/recorded.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "core/attr_names.h"
#include "core/run/stream.h"
#include "core/units.h"
#include "graph/algorithms.h"
#include "graph/graph.h"
#include "simulate/engine/engine.h"
#include "simulate/program/compile.h"
#include "simulate/waits/graph.h"

namespace convert {
namespace {

using ChainStep = Explanation::Step;
using Then = Explanation::Then;
using What = Explanation::What;

// For INVALID and METADATA nodes, which are no activity.
constexpr std::uint8_t no_kind = Activity::cpu + 1;

struct Interval {
  Picoseconds begin = 0;
  Picoseconds end = 0;
};

// Merges intervals into as few as possible, ascending.
void merge(std::vector<Interval>& intervals) {
  const auto before = [](const Interval& a, const Interval& b) { return a.begin < b.begin; };
  if (!std::is_sorted(intervals.begin(), intervals.end(), before))
    std::sort(intervals.begin(), intervals.end(), before);
  std::size_t kept = 0;
  for (const Interval& i : intervals) {
    if (kept != 0 && i.begin <= intervals[kept - 1].end) {
      intervals[kept - 1].end = std::max(intervals[kept - 1].end, i.end);
    } else {
      intervals[kept++] = i;
    }
  }
  intervals.resize(kept);
}

// Intervals of activity, by kind.
class ActivityIntervals {
 public:
  void add(std::uint8_t kind, Interval i) { intervals_.at(kind).push_back(i); }

  [[nodiscard]] ActivityTimes times(Picoseconds end) {
    std::array<Edges, Activity::cpu + 1> edges;
    for (std::size_t kind = 0; kind < intervals_.size(); ++kind) {
      merge(intervals_[kind]);
      edges[kind].rest = intervals_[kind];
    }
    Activity activity;
    for (;;) {
      Edges* const first = std::min_element(edges.begin(), edges.end(),
                                            [](const Edges& a, const Edges& b) { return a.next() < b.next(); });
      if (first->rest.empty()) return activity.times(end);
      const auto kind = static_cast<Activity::Kind>(first - edges.data());
      if (first->open) {
        activity.end(kind, first->next());
        first->rest = first->rest.subspan(1);
      } else {
        activity.begin(kind, first->next());
      }
      first->open = !first->open;
    }
  }

 private:
  // Iterates over the begins and ends of the intervals of a kind.
  struct Edges {
    std::span<const Interval> rest{};
    bool open = false;
    [[nodiscard]] Picoseconds next() const {
      if (rest.empty()) return std::numeric_limits<Picoseconds>::max();
      return open ? rest.front().end : rest.front().begin;
    }
  };
  std::array<std::vector<Interval>, Activity::cpu + 1> intervals_{};
};

}  // namespace

class RecordedReplay::RankReplay::Work {
 public:
  Work(Trace& trace, const ReplayOptions& options, const Diagnostics& like)
      : trace_(trace),
        nodes_(trace.nodes.nodes),
        options_(options),
        node_findings_(like.sibling()),
        compiler_(options_, Rules(false), true, false, *node_findings_) {
    out_.rank = trace.rank;
    out_.findings = like.sibling();
  }

  void compile_nodes() {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      const Op& op = compiler_.compile(trace_, i).op;
      kind_.push_back(kind_of(nodes_[i].type, op));
      duration_.push_back(kind_.back() != no_kind ? op.value : 0);
      begin_.push_back(start_delay(trace_.nodes.attributes(nodes_[i])));
    }
  }

  RecordedRank run() {
    compile_graph();
    if (out_.findings->errors() != 0) return std::move(out_);
    schedule();
    book();
    if (out_.npu.nodes_done != out_.npu.nodes) find_waits();
    if (options_.timeline) draw();
    if (options_.explain) explain();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool ran(std::uint32_t node) const { return missing_[node] == 0; }
  [[nodiscard]] Picoseconds end(std::uint32_t node) const { return begin_[node] + duration_[node]; }
  [[nodiscard]] NodeRef ref(std::uint32_t node) const { return {.rank = trace_.rank, .node = nodes_[node].id}; }
  [[nodiscard]] std::string name_of(std::uint32_t node) const {
    return std::string(trace_.nodes.name(nodes_[node]));
  }

  void compile_graph() {
    std::vector<GraphDefect> defects;
    graph_ = build_graph(trace_.nodes, &defects);
    NodeCompiler reporter(options_, Rules(false), true, false, *out_.findings);
    report_defects(trace_, defects, reporter);
    trace_.nodes.deps = {};  // the graph contains the dependencies
    trace_.nodes.positions = {};
    out_.findings->append(*node_findings_);
    out_.omitted = compiler_.omitted();
  }

  static std::uint8_t kind_of(NodeType type, const Op& op) {
    if (op.type == OpType::invalid) return no_kind;
    if (type == NodeType::mem_load || type == NodeType::mem_store)
      return op.slot == Slot::cpu ? Activity::cpu : Activity::memory;
    return Activity::kind_of(NodeEnd(op.type, op.slot, false, false, 0, false));
  }

  // Returns the time for which a free device operation did not begin; 0 if it is not recorded.
  static Picoseconds start_delay(std::span<const Attr> attributes) {
    const IntValue ns = int_value(attributes, attr::start_delay_nanos);
    if (!ns || ns.value < 0) return 0;
    constexpr std::int64_t most = std::numeric_limits<Picoseconds>::max() / ps_per_ns;
    return ns.value > most ? std::numeric_limits<Picoseconds>::max() : ns.value * ps_per_ns;
  }

  // Begins each node after its last parent has ended and its start delay has passed; begin_ contains the delay
  // until then.
  void schedule() {
    std::vector<Picoseconds> ready(nodes_.size());
    missing_.resize(nodes_.size());
    std::vector<std::uint32_t> free;
    for (auto i = static_cast<std::uint32_t>(nodes_.size()); i-- > 0;) {
      missing_[i] = static_cast<std::uint32_t>(graph_.parents(i).size());
      if (missing_[i] == 0) free.push_back(i);
    }
    while (!free.empty()) {
      const std::uint32_t node = free.back();
      free.pop_back();
      const Picoseconds ended = EventQueue::sum(begin_[node], duration_[node]);
      out_.end_ps = std::max(out_.end_ps, ended);
      ++out_.npu.nodes_done;
      for (const Edge& child : graph_.children(node)) {
        ready[child.node] = std::max(ready[child.node], ended);
        if (--missing_[child.node] != 0) continue;
        begin_[child.node] = EventQueue::sum(begin_[child.node], ready[child.node]);
        free.push_back(child.node);
      }
    }
  }

  void book() {
    NpuResult& npu = out_.npu;
    npu.nodes = nodes_.size();
    ActivityIntervals active;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      if (kind_[i] == no_kind || !ran(i)) continue;
      active.add(kind_[i], {begin_[i], end(i)});
      if (kind_[i] == Activity::compute) npu.compute_ps = EventQueue::sum(npu.compute_ps, duration_[i]);
    }
    npu.times = active.times(out_.end_ps);
    npu.exposed_communication_ps = npu.times.communication - npu.times.overlap;
    npu.astra_exposed_ps = npu.exposed_communication_ps;
    if (npu.nodes_done == npu.nodes) npu.finish_ps = out_.end_ps;
  }

  void find_waits() {
    WaitReport& waits = out_.waits;
    waits.waiting_total = out_.npu.nodes - out_.npu.nodes_done;
    for (std::uint32_t i = 0; i < nodes_.size() && waits.waiting.size() < WaitReport::max_listed; ++i) {
      if (ran(i)) continue;
      const std::span<const Edge> parents = graph_.parents(i);
      const auto on = std::find_if(parents.begin(), parents.end(), [&](const Edge& e) { return !ran(e.node); });
      waits.waiting.push_back({.node = ref(i), .what = WaitingNode::For::dependency, .on = ref(on->node)});
    }
    std::vector<std::uint32_t> cycle = find_cycles(graph_).front();
    std::reverse(cycle.begin() + 1, cycle.end());  // each waits for the next
    for (const std::uint32_t node : cycle) waits.cycle.push_back(ref(node));
    // Some node depends on a later node, which is most likely wrong.
    std::size_t i = 0;
    while (i + 1 < cycle.size() && cycle[i] > cycle[i + 1]) ++i;
    waits.hints.push_back("remove the dependency of " + describe(ref(cycle[i])) + " on node " +
                          std::to_string(nodes_[cycle[(i + 1) % cycle.size()]].id) +
                          ": these nodes form a cycle of dependencies");
  }

  [[nodiscard]] Lane lane(std::uint32_t node) const {
    if (kind_[node] == Activity::cpu) return Lane::cpu;
    switch (nodes_[node].type) {
      case NodeType::comm_send: return Lane::send;
      case NodeType::comm_recv: return Lane::recv;
      case NodeType::comm_coll: return Lane::collective;
      default: return kind_[node] == Activity::memory ? Lane::memory : Lane::compute;
    }
  }

  void draw() {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      if (kind_[i] == no_kind || !ran(i)) continue;
      Slice s{.begin_ps = begin_[i],
              .end_ps = end(i),
              .node = nodes_[i].id,
              .rank = trace_.rank,
              .name = out_.timeline.names.add(trace_.nodes.name(nodes_[i])),
              .lane = lane(i)};
      const auto attributes = trace_.nodes.attributes(nodes_[i]);
      if (s.lane != Lane::cpu) s.stream = stream_of(attributes);
      if (s.lane == Lane::send || s.lane == Lane::recv) {
        const IntValue bytes = int_value(attributes, attr::comm_size);
        const IntValue peer = int_value(attributes, s.lane == Lane::send ? attr::comm_dst : attr::comm_src);
        if (bytes) s.bytes = bytes.value;
        if (peer && peer.value >= 0 && peer.value <= largest_rank) s.peer = static_cast<std::int32_t>(peer.value);
      }
      out_.timeline.slices.push_back(s);
    }
  }

  void explain() {
    const ExplainTarget& target = *options_.explain;
    if (target.end) {
      if (out_.npu.nodes_done != out_.npu.nodes) return;
      Explanation& e = out_.explanation.emplace();
      e.at = out_.end_ps;
      for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        if (end(i) == out_.end_ps) return add_steps(i, std::nullopt, e.steps);
      }
      return;
    }
    if (target.rank != trace_.rank) return;
    const std::uint32_t node = IdIndex(trace_.nodes).find(target.node);
    if (node == IdIndex::none) {
      throw usage_error("cannot explain node " + std::to_string(target.node) + " of rank " +
                        std::to_string(target.rank) + ": it does not exist");
    }
    if (!ran(node)) return;
    Explanation& e = out_.explanation.emplace();
    e.target = ref(node);
    e.name = name_of(node);
    e.at = begin_[node];
    add_delay(node, Then::begin, node, e.steps);
    if (const auto before = last_parent(node)) add_steps(*before, node, e.steps);
  }

  [[nodiscard]] Picoseconds delay(std::uint32_t node) const {
    return start_delay(trace_.nodes.attributes(nodes_[node]));
  }
  // Returns the parent whose end a node waited for.
  [[nodiscard]] std::optional<std::uint32_t> last_parent(std::uint32_t node) const {
    const Picoseconds ready = begin_[node] - delay(node);
    if (ready == 0) return std::nullopt;
    for (const Edge& parent : graph_.parents(node)) {
      if (end(parent.node) == ready) return parent.node;
    }
    return std::nullopt;
  }

  void add_step(std::uint32_t node, What what, Interval time, Then then, std::optional<std::uint32_t> next,
                std::vector<ChainStep>& steps) const {
    ChainStep& s = steps.emplace_back();
    s.what = what;
    s.node = ref(node);
    s.name = name_of(node);
    s.begin = time.begin;
    s.time = time.end - time.begin;
    s.then = next ? then : Then::end;
    if (next) s.next = ref(*next);
  }
  bool add_delay(std::uint32_t node, Then then, std::optional<std::uint32_t> next,
                 std::vector<ChainStep>& steps) const {
    const Picoseconds time = delay(node);
    if (time != 0) add_step(node, What::delay, {begin_[node] - time, begin_[node]}, then, next, steps);
    return time != 0;
  }
  // Adds the steps that took time, from `node` back to time 0.
  void add_steps(std::uint32_t node, std::optional<std::uint32_t> next, std::vector<ChainStep>& steps) const {
    Then then = Then::dependency;
    for (std::optional<std::uint32_t> at = node; at; at = last_parent(*at)) {
      const bool takes_time = duration_[*at] != 0;
      if (takes_time) {
        add_step(*at, what(*at), {begin_[*at], end(*at)}, then, next, steps);
        next = *at;
      }
      const bool delayed = add_delay(*at, takes_time ? Then::begin : then, next, steps);
      if (delayed) next = *at;
      then = takes_time || delayed ? Then::dependency : Then::indirect;
    }
  }

  [[nodiscard]] What what(std::uint32_t node) const {
    switch (kind_[node]) {
      case Activity::compute: return What::compute;
      case Activity::memory: return What::memory;
      case Activity::cpu: return What::cpu;
      default: return What::replayed;
    }
  }

  Trace& trace_;
  const std::vector<Node>& nodes_;
  const ReplayOptions& options_;
  std::unique_ptr<Diagnostics> node_findings_;  // reported after the findings of the graph
  NodeCompiler compiler_;
  RecordedRank out_;
  Graph graph_;
  // By node.
  std::vector<Picoseconds> duration_;
  std::vector<Picoseconds> begin_;
  std::vector<std::uint32_t> missing_;  // number of parents that have not ended
  std::vector<std::uint8_t> kind_;      // kind of activity
};

RecordedReplay::RankReplay::RankReplay(const RecordedReplay& replay, Trace& trace)
    : work_(std::make_unique<Work>(trace, replay.options_, replay.diagnostics_)) {}
RecordedReplay::RankReplay::~RankReplay() = default;
void RecordedReplay::RankReplay::add_batch() { work_->compile_nodes(); }
RecordedRank RecordedReplay::RankReplay::run() { return work_->run(); }

RecordedReplay::RecordedReplay(ReplayOptions options, Diagnostics& diagnostics)
    : options_(std::move(options)), diagnostics_(diagnostics) {
  options_.recorded = Recorded::everything;
  options_.issue = IssueMode::algorithm;
  options_.system = std::make_shared<ReplaySystem>();
  result_.issue = options_.issue;
  result_.recorded_communication = true;
}

NodeParts RecordedReplay::parts() const {
  NodeParts parts;
  if (options_.timeline || options_.explain) parts.names(NodeParts::On::all);
  if (options_.explain) parts.attributes(NodeParts::On::all, std::array{attr::start_delay_nanos});
  if (options_.timeline) {
    parts.attributes(NodeParts::On::communication, std::array{attr::comm_size, attr::comm_src, attr::comm_dst});
    parts.attributes(NodeParts::On::all, std::array{attr::stream});
  }
  // Defects of the graph are reported with the positions of nodes.
  return parts.positions();
}

RecordedRank RecordedReplay::run(Trace trace) const {
  RankReplay rank(*this, trace);
  rank.add_batch();
  return rank.run();
}

void RecordedReplay::add_waits(WaitReport&& waits) {
  WaitReport& all = result_.waits;
  result_.status = ReplayStatus::deadlock;
  all.waiting_total += waits.waiting_total;
  const std::size_t more = std::min(waits.waiting.size(), WaitReport::max_listed - all.waiting.size());
  all.waiting.insert(all.waiting.end(), waits.waiting.begin(),
                     waits.waiting.begin() + static_cast<std::ptrdiff_t>(more));
  if (!all.cycle.empty() && all.cycle.size() <= waits.cycle.size()) return;
  all.cycle = std::move(waits.cycle);
  all.hints = std::move(waits.hints);
}

void RecordedReplay::add_timeline(const Timeline& timeline) {
  for (Slice s : timeline.slices) {
    s.name = result_.timeline.names.add(timeline.name(s));
    result_.timeline.slices.push_back(s);
  }
}

void RecordedReplay::add(RecordedRank&& rank) {
  diagnostics_.append(*rank.findings);
  omitted_ += rank.omitted;
  if (rank.waits.waiting_total != 0) add_waits(std::move(rank.waits));
  add_timeline(rank.timeline);
  const bool later = result_.npus.empty() || rank.end_ps > result_.total_ps;
  if (rank.explanation && (later || !options_.explain->end)) result_.explanation = std::move(rank.explanation);
  result_.total_ps = std::max(result_.total_ps, rank.end_ps);
  result_.npus.push_back(rank.npu);
  result_.ranks.push_back(rank.rank);
}

std::optional<ReplayResult> RecordedReplay::finish() {
  if (diagnostics_.errors() != 0) return std::nullopt;
  const auto has = [&](Rank rank) { return std::binary_search(result_.ranks.begin(), result_.ranks.end(), rank); };
  for (const auto& [rank, factor] : options_.slow) {
    if (has(rank)) continue;
    throw usage_error("cannot slow down rank " + std::to_string(rank) + ": there are " +
                      counted(result_.ranks.size(), "rank"));
  }
  if (const auto& target = options_.explain; target && !target->end && !has(target->rank))
    throw usage_error("cannot explain rank " + std::to_string(target->rank) + ": it does not exist");
  if (options_.explain && options_.explain->end && result_.status == ReplayStatus::deadlock)
    result_.explanation.reset();
  warn_of_times(omitted_, diagnostics_);
  add_notes(omitted_, result_);
  result_.reached_ps = result_.total_ps;
  return std::move(result_);
}

}  // namespace convert
