// SPDX-License-Identifier: MIT
#include "analyze/sets/idle.h"

#include <algorithm>
#include <array>
#include <optional>
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

struct Operation {
  std::int64_t stream;
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::int64_t launched_ns;  // -1: nobody tells
};

std::int64_t end_ns_of(const Node& node, const StreamFacts& f) {
  const std::int64_t begin = start_ns_of(node, int_value(f[attr::start_nanos]));
  const Picoseconds time = std::max<Picoseconds>(0, duration_of(node, int_value(f[attr::duration_nanos])));
  std::int64_t end = 0;
  return begin < 0 || __builtin_add_overflow(begin, time / ps_per_ns, &end) ? -1 : end;
}

// Returns when the last node ends whose dependency is a launch; -1 if there is none.
std::int64_t launch_of(const NodeTable& table, const Node& node, const StreamFacts& f, const IdIndex& ids) {
  const Attr* rules = f[attr::dep_rules];
  if (rules == nullptr || rules->kind != Kind::string_val || rules->size != node.data_deps.count) return -1;
  const std::string_view letters = table.string(*rules);
  const auto deps = table.data_deps(node);
  std::int64_t launched = -1;
  for (std::size_t k = 0; k < deps.size(); ++k) {
    if (letters[k] != launch_letter) continue;
    const std::uint32_t parent = ids.find(deps[k]);
    if (parent == IdIndex::none) continue;
    const Node& launcher = table.nodes[parent];
    launched = std::max(launched, end_ns_of(launcher, StreamFacts(table.attributes(launcher))));
  }
  return launched;
}

std::vector<Operation> operations_of(const Trace& trace) {
  const NodeTable& table = trace.nodes;
  std::vector<Operation> operations;
  std::optional<IdIndex> ids;
  for (const Node& node : table.nodes) {
    const StreamFacts f(table.attributes(node));
    const IntValue stream = int_value(f[attr::stream]), cpu = int_value(f[attr::is_cpu_op]);
    if (!stream || (cpu && cpu.value != 0)) continue;
    const std::int64_t begin = start_ns_of(node, int_value(f[attr::start_nanos])), end = end_ns_of(node, f);
    if (begin < 0 || end < 0) continue;
    if (!ids) ids.emplace(table);
    operations.push_back({stream.value, begin, end, launch_of(table, node, f, *ids)});
  }
  std::ranges::stable_sort(operations, [](const Operation& a, const Operation& b) {
    return std::pair(a.stream, a.begin_ns) < std::pair(b.stream, b.begin_ns);
  });
  return operations;
}

}  // namespace

std::map<std::int64_t, StreamIdle> idle_of(const Trace& trace) {
  std::map<std::int64_t, StreamIdle> streams;
  std::int64_t until = 0;  // the latest end so far of the stream
  for (const Operation& op : operations_of(trace)) {
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

}  // namespace convert
