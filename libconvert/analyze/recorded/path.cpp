// SPDX-License-Identifier: MIT
#include "analyze/recorded/path.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "core/attr_names.h"

namespace convert {
namespace {

using StepKind = Run::StepKind;

StepKind kind_of(std::optional<Lane> lane) {
  switch (lane.value_or(Lane::cpu)) {
    case Lane::cpu: return StepKind::cpu;
    case Lane::compute: return StepKind::compute;
    case Lane::memory: return StepKind::memory;
    case Lane::collective: return StepKind::collective;
    default: return StepKind::recorded;
  }
}

class PathFinder {
 public:
  PathFinder(const RecordedSet& set, TextSet& names) : set_(set), names_(names), seen_(set.nodes.size()) {}

  std::vector<Run::Step> find() {
    std::uint32_t node = no_index;
    for (std::uint32_t i = 0; i < set_.nodes.size(); ++i) {
      if (set_.nodes[i].timed() && (node == no_index || set_.nodes[i].end_ps > time_)) {
        node = i;
        time_ = set_.nodes[i].end_ps;
      }
    }
    if (node == no_index) return {};
    for (;;) {
      seen_[node] = true;
      node = leave(node);
      if (time_ == 0) break;
      const auto before = last_before(node);
      const Picoseconds reached = before ? std::min(set_.nodes[*before].end_ps, time_) : 0;
      step(StepKind::unexplained, node, reached);
      if (!before || time_ == 0) break;
      node = *before;
    }
    std::ranges::reverse(steps_);
    return std::move(steps_);
  }

 private:
  // Adds the step of a node and returns the node from whose begin the path goes back: the node that it waited for,
  // or the node itself.
  std::uint32_t leave(std::uint32_t node) {
    const RecordedSet::Node& n = set_.nodes[node];
    std::uint32_t from = node;
    StepKind kind = kind_of(recorded_lane(set_.traces[set_.trace_of(node)].nodes, set_.node_of(node)));
    if (n.call != no_index) {
      from = last_caller(n.call, node);
    } else if (n.partner != no_index && set_.node_of(node).type == NodeType::comm_recv) {
      const RecordedSet::Node& send = set_.nodes[n.partner];
      if (send.timed() && send.begin_ps > n.begin_ps && send.begin_ps < time_) {
        from = n.partner;
        kind = StepKind::message;
      }
    }
    step(kind, kind == StepKind::message ? from : node, std::min(set_.nodes[from].begin_ps, time_));
    seen_[from] = true;
    return from;
  }

  // Returns the node of a collective that began last before the time that the path has reached.
  [[nodiscard]] std::uint32_t last_caller(std::uint32_t call, std::uint32_t node) const {
    std::uint32_t last = node;
    for (const std::uint32_t m : set_.members[call]) {
      const Picoseconds begin = set_.nodes[m].begin_ps;
      if (begin > set_.nodes[last].begin_ps && begin < time_) last = m;
    }
    return last;
  }

  // Returns the predecessor that ended last, not later than the time that the path has reached. In a tie, returns
  // the one that began last.
  std::optional<std::uint32_t> last_before(std::uint32_t node) {
    std::optional<std::uint32_t> best;
    const auto offer = [&](std::uint32_t candidate) {
      const RecordedSet::Node& n = set_.nodes[candidate];
      if (seen_[candidate] || n.begin_ps > time_) return;
      const auto key = [&](std::uint32_t i) {
        return std::tuple(std::min(set_.nodes[i].end_ps, time_), set_.nodes[i].begin_ps);
      };
      if (!best || key(candidate) > key(*best)) best = candidate;
    };
    for_each_parent(node, offer);
    const RecordedSet::Node& n = set_.nodes[node];
    if (n.partner != no_index && set_.node_of(node).type == NodeType::comm_recv && set_.nodes[n.partner].timed())
      offer(n.partner);
    return best;
  }

  // Visits the timed nodes that a node depends on, directly or through untimed nodes.
  template <typename Visit>
  void for_each_parent(std::uint32_t node, const Visit& visit) {
    const std::size_t trace = set_.trace_of(node);
    const std::uint32_t first = set_.first[trace];
    std::vector<std::uint32_t> open = {node - first};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const Edge& parent : set_.graphs[trace].parents(at)) {
        const std::uint32_t number = first + parent.node;
        if (set_.nodes[number].timed()) {
          visit(number);
        } else if (!seen_[number]) {
          seen_[number] = true;
          open.push_back(parent.node);
        }
      }
    }
  }

  // Adds a step of a node from `begin` to the time that the path has reached, unless it is empty.
  void step(StepKind kind, std::uint32_t node, Picoseconds begin) {
    if (begin >= time_) return;
    const Trace& trace = set_.traces[set_.trace_of(node)];
    const Node& n = set_.node_of(node);
    Run::Step& s = steps_.emplace_back();
    s.kind = kind;
    s.npu = trace.rank;
    s.node = n.id;
    s.name = names_.add(trace.nodes.name(n));
    s.begin_ps = begin;
    s.time_ps = time_ - begin;
    if (kind == StepKind::collective) s.call = set_.nodes[node].call;
    if (kind == StepKind::message) {
      const auto attrs = trace.nodes.attributes(n);
      if (const IntValue bytes = int_value(attrs, attr::comm_size); bytes && bytes.value >= 0)
        s.bytes = bytes.value;
      s.peer = static_cast<std::int32_t>(set_.traces[set_.trace_of(set_.nodes[node].partner)].rank);
    }
    time_ = begin;
  }

  const RecordedSet& set_;
  TextSet& names_;
  std::vector<bool> seen_;  // by node: on the path, or found to be a dead end
  Picoseconds time_ = -1;   // time that the path has reached, going back
  std::vector<Run::Step> steps_;
};

}  // namespace

std::optional<Lane> recorded_lane(const NodeTable& table, const Node& node) {
  const IntValue on_cpu = int_value(table.attributes(node), attr::is_cpu_op);
  switch (node.type) {
    case NodeType::comm_send: return Lane::send;
    case NodeType::comm_recv: return Lane::recv;
    case NodeType::comm_coll: return Lane::collective;
    case NodeType::mem_load:
    case NodeType::mem_store: return Lane::memory;
    case NodeType::comp: return on_cpu && on_cpu.value != 0 ? Lane::cpu : Lane::compute;
    default: return std::nullopt;
  }
}

std::vector<Run::Step> recorded_path(const RecordedSet& set, TextSet& names) {
  return PathFinder(set, names).find();
}

}  // namespace convert
