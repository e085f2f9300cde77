// SPDX-License-Identifier: MIT
#include "passes/window/window.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <string>
#include <utility>

#include "graph/algorithms.h"
#include "graph/graph.h"
#include "passes/dep_rules.h"
#include "passes/split/removal.h"

namespace convert {
namespace {

__extension__ using WideTime = __int128;

// Computes when nodes ran; nodes without times get them from their dependencies.
class WindowTimes {
 public:
  WindowTimes(const Trace& trace, const RecordedSpan& set) : trace_(trace) {
    const std::int64_t base = recorded_base_ns(trace.metadata);
    bool any_missing = false;
    for (const Node& n : trace.nodes.nodes) {
      RecordedTime t = recorded_time(trace.nodes, n, base);
      if (t.begin_ns == no_time && t.duration_ns > 0 && set.from_zero()) t.begin_ns = 0;
      const std::int64_t end = t.begin_ns == no_time ? no_time : std::max(t.begin_ns, t.end_ns());
      begin_.push_back(t.begin_ns);
      end_.push_back(end);
      any_missing = any_missing || t.begin_ns == no_time;
    }
    if (any_missing) find_missing();
  }

  [[nodiscard]] bool overlaps(std::size_t i, const RecordedSpan& set, const TimeWindow& window) const {
    if (begin_[i] == no_time) return false;
    const WideTime begin = (WideTime{begin_[i]} - set.begin_ns()) * ps_per_ns;
    const WideTime end = (WideTime{end_[i]} - set.begin_ns()) * ps_per_ns;
    return begin < window.to_ps && (end > window.from_ps || (begin == end && begin == window.from_ps));
  }

 private:
  void find_missing() {
    const Graph graph = build_graph(trace_.nodes);
    const std::vector<std::uint32_t> order = topological_order(graph);
    for (const std::uint32_t i : order) {
      if (begin_[i] != no_time) continue;
      std::int64_t last = no_time;
      for (const Edge& e : graph.parents(i)) last = std::max(last, end_[e.node]);
      begin_[i] = end_[i] = last;
    }
    for (const std::uint32_t i : order | std::views::reverse) {
      if (begin_[i] != no_time) continue;
      for (const Edge& e : graph.children(i)) {
        const std::int64_t begin = begin_[e.node];
        if (begin != no_time && (begin_[i] == no_time || begin < begin_[i])) begin_[i] = end_[i] = begin;
      }
    }
  }

  const Trace& trace_;
  std::vector<std::int64_t> begin_, end_;
};

constexpr std::array of_communication = {
    attr::comm_type,     attr::comm_size,   attr::comm_src,      attr::comm_dst,   attr::comm_tag,
    attr::comm_priority, attr::pg_name,     attr::involved_dim,  attr::group_size, attr::comm_dtype,
    attr::send_splits,   attr::recv_splits, attr::comm_bytes_out};

void make_computations(Trace& trace, const std::vector<bool>& partial) {
  for (std::size_t i = 0; i < partial.size(); ++i) {
    if (!partial[i]) continue;
    Node& n = trace.nodes.nodes[i];
    n.type = NodeType::comp;
    Attr* const first = trace.nodes.attrs.data() + n.attrs.begin;
    Attr* const end = std::remove_if(first, first + n.attrs.count, [](const Attr& a) {
      return std::ranges::find(of_communication, a.name) != of_communication.end();
    });
    n.attrs.count = static_cast<std::uint32_t>(end - first);
  }
}

// Copies the nodes that are kept, without dependencies on other nodes.
class WindowCopy {
 public:
  WindowCopy(const NodeTable& from, const std::vector<bool>& in) : from_(from), in_(in), ids_(from) {}

  NodeTable run(WindowCounts& counts) {
    NodeTable out;
    out.positions_are_lines = from_.positions_are_lines;
    for (std::size_t i = 0; i < in_.size(); ++i) {
      if (!in_[i]) {
        ++counts.left_out;
        continue;
      }
      copy(from_.nodes[i], out, counts);
      if (i < from_.positions.size()) out.positions.push_back(from_.positions[i]);
    }
    return out;
  }

 private:
  void copy(const Node& node, NodeTable& out, WindowCounts& counts) {
    const Attr* const rules = dep_rules_of(from_, node);
    std::string letters;
    out.begin_copy(from_, node, node.id, node.type);
    const auto deps = from_.data_deps(node);
    for (std::size_t d = 0; d < deps.size(); ++d) {
      if (!stays(deps[d], counts)) continue;
      out.add_data_dep(deps[d]);
      if (rules != nullptr) letters += from_.string(*rules)[d];
    }
    for (const NodeId id : from_.ctrl_deps(node)) {
      if (stays(id, counts)) out.add_ctrl_dep(id);
    }
    for (const Attr& a : from_.attributes(node)) {
      if (&a == rules && letters.size() != a.size) {
        out.add_string(attr::dep_rules, letters);
      } else {
        out.add_copy(from_, a);
      }
    }
    out.end_copy(from_, node);
  }
  bool stays(NodeId id, WindowCounts& counts) const {
    const std::uint32_t at = ids_.find(id);
    const bool yes = at == IdIndex::none || in_[at];
    counts.dropped += yes ? 0 : 1;
    return yes;
  }

  const NodeTable& from_;
  const std::vector<bool>& in_;
  IdIndex ids_;
};

}  // namespace

void RecordedSpan::add(const RecordedSpan& other) {
  first_ns = std::min(first_ns, other.first_ns);
  last_ns = std::max(last_ns, other.last_ns);
  begins_missing = begins_missing || other.begins_missing;
}

void WindowCounts::add(const WindowCounts& other) {
  left_out += other.left_out;
  dropped += other.dropped;
  partial += other.partial;
}

RecordedSpan recorded_span(const Trace& trace) {
  RecordedSpan out;
  const std::int64_t base = recorded_base_ns(trace.metadata);
  for (const Node& n : trace.nodes.nodes) {
    const RecordedTime t = recorded_time(trace.nodes, n, base);
    if (t.begin_ns == no_time) out.begins_missing = out.begins_missing || t.duration_ns > 0;
    if (t.end_ns() == no_time) continue;
    out.first_ns = std::min(out.first_ns, t.begin_ns);
    out.last_ns = std::max(out.last_ns, t.end_ns());
  }
  return out;
}

std::vector<bool> nodes_in_window(const Trace& trace, const RecordedSpan& set, const TimeWindow& window) {
  const WindowTimes times(trace, set);
  std::vector<bool> out(trace.nodes.nodes.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = times.overlaps(i, set, window);
  return out;
}

WindowCounts take_window(Trace& trace, const std::vector<bool>& in, const std::vector<bool>& partial,
                         PartialCalls what) {
  WindowCounts counts;
  std::vector<bool> stays = in;
  const auto first = std::ranges::find(partial, true);
  counts.partial = static_cast<std::uint64_t>(std::ranges::count(partial, true));
  if (first != partial.end() && what == PartialCalls::error) {
    const auto i = static_cast<std::size_t>(first - partial.begin());
    const Node& n = trace.nodes.nodes[i];
    throw input_error(location_of(trace, i),
                      "node " + std::to_string(n.id) + " (" + std::string(trace.nodes.name(n)) + ") of rank " +
                          std::to_string(trace.rank) +
                          " is in the window, but not on every participating rank; use --partial comp to make it a "
                          "computation or --partial drop to omit it",
                      "window");
  }
  if (first != partial.end() && what == PartialCalls::comp) make_computations(trace, partial);
  if (first != partial.end() && what == PartialCalls::drop) {
    remove_nodes(trace, partial, "calls that some ranks have outside the window");
    std::vector<bool> left;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!partial[i]) left.push_back(in[i]);
    }
    stays = std::move(left);
  }
  trace.nodes = WindowCopy(trace.nodes, stays).run(counts);
  return counts;
}

}  // namespace convert
