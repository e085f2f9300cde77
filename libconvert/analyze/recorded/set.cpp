// SPDX-License-Identifier: MIT
#include "analyze/recorded/set.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "core/time/recorded_time.h"
#include "core/units.h"
#include "graph/collectives.h"
#include "graph/messages.h"

namespace convert {
namespace {

// Returns the size of a collective as nccl-tests define it, computed from comm_size; -1 if it is unknown.
std::int64_t counted_size(Collective op, std::int64_t bytes, std::uint32_t npus) {
  const bool shard = op == Collective::all_gather || op == Collective::gather || op == Collective::scatter;
  std::int64_t out = -1;
  if (bytes < 0 || !shard) return bytes;
  return __builtin_mul_overflow(bytes, std::int64_t{npus}, &out) ? -1 : out;
}

class SetReader {
 public:
  SetReader(std::span<const Trace> traces, const std::string& name, Diagnostics& diagnostics)
      : name_(name), diagnostics_(diagnostics) {
    out_.traces = traces;
  }

  RecordedSet read() {
    out_.first.push_back(0);
    for (const Trace& trace : out_.traces) {
      const std::uint64_t nodes = out_.first.back() + trace.nodes.nodes.size();
      if (nodes >= no_index) throw input_error({.file = name_}, "a set of more than 4 billion nodes");
      out_.first.push_back(static_cast<std::uint32_t>(nodes));
      out_.graphs.push_back(build_graph(trace.nodes));
    }
    out_.nodes.resize(out_.first.back());
    read_times();
    read_communication();
    return std::move(out_);
  }

 private:
  void read_times() {
    std::vector<RecordedTime> times(out_.nodes.size());
    for (std::size_t t = 0; t < out_.traces.size(); ++t) {
      const Trace& trace = out_.traces[t];
      const std::int64_t base_ns = recorded_base_ns(trace.metadata);
      for (std::size_t i = 0; i < trace.nodes.nodes.size(); ++i)
        times[out_.first[t] + i] = recorded_time(trace.nodes, trace.nodes.nodes[i], base_ns);
    }
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = no_time;
    for (const RecordedTime& t : times) {
      if (t.begin_ns == no_time || t.duration_ns == no_time) continue;
      first = std::min(first, t.begin_ns);
      last = std::max(last, t.end_ns());
    }
    if (last == no_time) throw no_recorded_times(name_);
    // A clock that begins with the run gives its first nodes the time 0, which usually means no time.
    const bool from_zero = first <= last - first;
    if (from_zero) first = 0;
    constexpr std::int64_t most_ns = std::numeric_limits<Picoseconds>::max() / ps_per_ns;
    if (last - first > most_ns)
      throw input_error({.file = name_},
                        "the recorded times span more than 106 days; check that all ranks use one clock", "times");
    for (std::size_t i = 0; i < times.size(); ++i) set_times(i, times[i], first, from_zero);
    shift_to_begin();
    warn_of_clocks();
  }

  void set_times(std::size_t i, RecordedTime t, std::int64_t first, bool from_zero) {
    if (t.begin_ns == no_time && t.duration_ns > 0 && from_zero) t.begin_ns = 0;
    RecordedSet::Node& node = out_.nodes[i];
    if (t.begin_ns == no_time || t.duration_ns == no_time) {
      if (t.duration_ns > 0) ++out_.untimed;
      return;
    }
    node.begin_ps = (t.begin_ns - first) * ps_per_ns;
    node.end_ps = node.begin_ps + t.duration_ns * ps_per_ns;
  }

  // Moves the times so that the first begin is 0.
  void shift_to_begin() {
    Picoseconds first = std::numeric_limits<Picoseconds>::max();
    for (const RecordedSet::Node& n : out_.nodes) {
      if (n.timed()) first = std::min(first, n.begin_ps);
    }
    for (RecordedSet::Node& n : out_.nodes) {
      if (!n.timed()) continue;
      n.begin_ps -= first;
      n.end_ps -= first;
    }
  }

  void warn_of_clocks() {
    Picoseconds latest_begin = 0, earliest_end = std::numeric_limits<Picoseconds>::max();
    Rank late = 0, early = 0;
    for (std::size_t t = 0; t < out_.traces.size(); ++t) {
      Picoseconds begin = std::numeric_limits<Picoseconds>::max(), end = -1;
      for (std::uint32_t i = out_.first[t]; i < out_.first[t + 1]; ++i) {
        if (!out_.nodes[i].timed()) continue;
        begin = std::min(begin, out_.nodes[i].begin_ps);
        end = std::max(end, out_.nodes[i].end_ps);
      }
      if (end < 0) continue;
      if (begin > latest_begin) latest_begin = begin, late = out_.traces[t].rank;
      if (end < earliest_end) earliest_end = end, early = out_.traces[t].rank;
    }
    if (earliest_end >= latest_begin) return;
    diagnostics_.warning({.file = name_}, "times",
                         "rank " + std::to_string(late) + " begins " + format_time(latest_begin - earliest_end) +
                             " after rank " + std::to_string(early) +
                             " has ended: their clocks differ, so that times between them are meaningless");
  }

  void read_communication() {
    std::vector<RankMessages> messages;
    std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t> calls;  // by group and number
    std::vector<Rank> ranks;
    for (std::size_t t = 0; t < out_.traces.size(); ++t) {
      const NodeTable& table = out_.traces[t].nodes;
      const auto order = communication_order(table, out_.graphs[t]);
      messages.push_back(messages_of(table, order));
      ranks.push_back(out_.traces[t].rank);
      for (const GroupUse& use : collectives_of(table, order)) {
        const std::int64_t group = group_id(use.group);
        for (std::uint32_t k = 0; k < use.calls.size(); ++k)
          add_member(t, use.calls[k], {group, k}, calls, use.details_of(k).root);
      }
    }
    peers_to_positions(messages, ranks);
    for_each_message_pair(messages, [&](const MessagePair& pair) {
      const std::uint32_t send = out_.first[pair.from_rank] + pair.from_node;
      const std::uint32_t receive = out_.first[pair.to_rank] + pair.to_node;
      out_.nodes[send].partner = receive;
      out_.nodes[receive].partner = send;
    });
    finish_calls();
  }

  // Group names that etkit writes are numbers. Other names get negative numbers in order of first use.
  std::int64_t group_id(const std::string& name) {
    if (name.empty()) return 0;
    if (const auto id = parse_int(name); id && *id >= 0) return *id;
    const auto [at, added] = named_groups_.try_emplace(name, -1 - static_cast<std::int64_t>(named_groups_.size()));
    if (added) out_.group_names.emplace(at->second, name);
    return at->second;
  }

  void add_member(std::size_t trace, const CollectiveNode& node, std::pair<std::int64_t, std::uint32_t> key,
                  std::map<std::pair<std::int64_t, std::uint32_t>, std::uint32_t>& calls, std::int64_t root) {
    const std::uint32_t number = out_.first[trace] + node.node;
    if (!out_.nodes[number].timed()) return;
    const auto [at, added] = calls.try_emplace(key, static_cast<std::uint32_t>(out_.calls.size()));
    if (added) {
      Run::Call& call = out_.calls.emplace_back();
      call.op = node.type == CollectiveNode::unknown_type ? Collective::custom : static_cast<Collective>(node.type);
      call.group = key.first;
      call.number = key.second;
      call.size_bytes = node.size;
      call.root = root >= 0 && root <= std::int64_t{largest_rank} ? root : -1;
      out_.members.emplace_back();
    }
    out_.members[at->second].push_back(number);
  }

  void finish_calls() {
    std::vector<std::uint32_t> order(out_.calls.size());
    for (std::uint32_t c = 0; c < order.size(); ++c) {
      order[c] = c;
      Run::Call& call = out_.calls[c];
      const std::vector<std::uint32_t>& members = out_.members[c];
      const auto begin_of = [&](std::uint32_t n) { return out_.nodes[n].begin_ps; };
      const std::uint32_t first = *std::ranges::min_element(members, {}, begin_of);
      call.npus = static_cast<std::uint32_t>(members.size());
      call.size_bytes = counted_size(call.op, call.size_bytes, call.npus);
      call.begin_ps = begin_of(first);
      call.last_begin_ps = begin_of(*std::ranges::max_element(members, {}, begin_of));
      for (const std::uint32_t n : members) call.end_ps = std::max(call.end_ps, out_.nodes[n].end_ps);
      call.first_npu = out_.traces[out_.trace_of(first)].rank;
      call.first_node = out_.node_of(first).id;
    }
    const auto key = [&](std::uint32_t c) {
      const Run::Call& call = out_.calls[c];
      return std::tuple(call.begin_ps, call.first_npu, call.group, call.number);
    };
    std::ranges::sort(order, {}, key);
    std::vector<Run::Call> calls;
    std::vector<std::vector<std::uint32_t>> members;
    for (const std::uint32_t c : order) {
      for (const std::uint32_t n : out_.members[c]) out_.nodes[n].call = static_cast<std::uint32_t>(calls.size());
      calls.push_back(out_.calls[c]);
      members.push_back(std::move(out_.members[c]));
    }
    out_.calls = std::move(calls);
    out_.members = std::move(members);
  }

  RecordedSet out_;
  const std::string& name_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::int64_t> named_groups_;
};

}  // namespace

std::size_t RecordedSet::trace_of(std::uint32_t node) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(first, node) - first.begin()) - 1;
}

RecordedSet recorded_set(std::span<const Trace> traces, const std::string& name, Diagnostics& diagnostics) {
  return SetReader(traces, name, diagnostics).read();
}

bool states_times(const Trace& trace) {
  const std::int64_t base_ns = recorded_base_ns(trace.metadata);
  return std::ranges::any_of(trace.nodes.nodes, [&](const Node& node) {
    return recorded_time(trace.nodes, node, base_ns).end_ns() != no_time;
  });
}

Error no_recorded_times(const std::string& name) {
  return input_error({.file = name},
                     "no node has a recorded time (start_time_micros or start_nanos, and a duration); et-replay "
                     "-o x.run simulates the set");
}

}  // namespace convert
