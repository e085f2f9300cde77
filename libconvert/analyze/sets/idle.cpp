// SPDX-License-Identifier: MIT
#include "analyze/sets/idle.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/sets/node_times.h"
#include "core/found_attrs.h"
#include "graph/graph.h"

namespace convert {
namespace {

constexpr std::array stream_names = {attr::stream, attr::is_cpu_op, attr::start_nanos, attr::duration_nanos,
                                     attr::dep_rules};
using StreamFacts = FoundAttrs<stream_names>;
constexpr char launch_letter = 'l';

}  // namespace

void IdleSearch::add(const NodeTable& table, const Node& node, const NodeFacts& facts) {
  const std::uint32_t index = nodes_++;
  std::int64_t end = 0;
  const std::int64_t time = std::max<Picoseconds>(0, facts.time_ps) / ps_per_ns;
  if (facts.begin_ns < 0 || __builtin_add_overflow(facts.begin_ns, time, &end)) return;
  ends_ns_.resize(index, -1);
  ends_ns_.push_back(end);
  if (!facts.stream || facts.on_cpu) return;
  const auto deps = table.data_deps(node);
  const Attr* const rules = facts.dep_rules;
  if (rules != nullptr && rules->kind == Kind::string_val && rules->size == deps.size()) {
    const std::string_view letters = table.string(*rules);
    for (std::size_t k = 0; k < deps.size(); ++k) {
      if (letters[k] == launch_letter) launches_.push_back({operations_.size(), deps[k]});
    }
  }
  operations_.push_back({facts.stream.value, facts.begin_ns, end, -1});
}

// Sets the launch time of operations: the latest end of their launch dependencies.
void IdleSearch::find_launches(const NodeTable& nodes) {
  if (launches_.empty()) return;
  const IdIndex ids(nodes);
  for (const Launch& l : launches_) {
    const std::uint32_t parent = ids.find(l.by);
    if (parent == IdIndex::none || parent >= ends_ns_.size()) continue;
    std::int64_t& launched = operations_[l.operation].launched_ns;
    launched = std::max(launched, ends_ns_[parent]);
  }
}

std::map<std::int64_t, StreamIdle> IdleSearch::finish(const NodeTable& nodes) {
  find_launches(nodes);
  std::ranges::stable_sort(operations_, [](const Operation& a, const Operation& b) {
    return std::pair(a.stream, a.begin_ns) < std::pair(b.stream, b.begin_ns);
  });
  std::map<std::int64_t, StreamIdle> streams;
  std::int64_t until = 0;  // latest end of the stream so far
  for (const Operation& op : operations_) {
    const auto [at, is_new] = streams.try_emplace(op.stream);
    StreamIdle& s = at->second;
    if (is_new) until = op.begin_ns;
    ++s.operations;
    s.unlaunched += op.launched_ns < 0 ? 1 : 0;
    if (const std::int64_t gap = op.begin_ns - until; gap > 0) {
      const bool host = op.launched_ns > until;
      const bool kernel = op.launched_ns >= 0 && gap <= kernel_delay_ns;
      (host ? s.host_wait_ns : kernel ? s.kernel_wait_ns : s.other_wait_ns) += gap;
    }
    s.busy_ns += std::max<std::int64_t>(0, op.end_ns - std::max(op.begin_ns, until));
    until = std::max(until, op.end_ns);
  }
  return streams;
}

std::map<std::int64_t, StreamIdle> idle_of(const Trace& trace) {
  IdleSearch search;
  for (const Node& node : trace.nodes.nodes) {
    const StreamFacts f(trace.nodes.attributes(node));
    const IntValue cpu = int_value(f[attr::is_cpu_op]);
    search.add(trace.nodes, node,
               {.begin_ns = start_ns_of(node, int_value(f[attr::start_nanos])),
                .time_ps = duration_of(node, int_value(f[attr::duration_nanos])),
                .stream = int_value(f[attr::stream]),
                .on_cpu = cpu && cpu.value != 0,
                .dep_rules = f[attr::dep_rules]});
  }
  return search.finish(trace.nodes);
}

}  // namespace convert
