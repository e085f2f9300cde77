// SPDX-License-Identifier: MIT
#include "sets/derived/windowing.h"

#include <algorithm>
#include <utility>

#include "formats/whole_ranks.h"
#include "graph/collectives.h"
#include "graph/messages.h"

namespace convert {
namespace {

// What a rank communicates: its collectives by group, its messages, and which nodes are in the window.
struct WindowCalls {
  Rank rank = 0;
  std::vector<bool> in{};
  std::map<std::string, std::vector<std::uint32_t>> calls{};  // nodes, in the order of issue
  RankMessages messages{};
};

WindowCalls calls_of(const Trace& trace, std::vector<bool> in) {
  WindowCalls out{.rank = trace.rank, .in = std::move(in)};
  const std::vector<std::uint32_t> order = communication_order(trace.nodes, build_graph(trace.nodes));
  out.messages = messages_of(trace.nodes, order);
  for (const GroupUse& use : collectives_of(trace.nodes, order)) {
    for (const CollectiveNode& c : use.calls) out.calls[use.group].push_back(c.node);
  }
  return out;
}

// Finds what is in the window on some of the ranks that take part, and not on all.
class PartialFinder {
 public:
  explicit PartialFinder(std::vector<WindowCalls>& ranks) : ranks_(ranks), partial_(ranks.size()) {}

  std::vector<std::vector<std::uint32_t>> run() {
    find_calls();
    find_messages();
    for (auto& nodes : partial_) std::ranges::sort(nodes);
    return std::move(partial_);
  }

 private:
  // The number-th call of a group is one call on all ranks that have such a one.
  void find_calls() {
    std::map<std::string, std::vector<bool>> whole;
    for (const WindowCalls& r : ranks_) {
      for (const auto& [group, nodes] : r.calls) {
        std::vector<bool>& of_group = whole[group];
        if (of_group.size() < nodes.size()) of_group.resize(nodes.size(), true);
      }
    }
    for (const WindowCalls& r : ranks_) {
      for (const auto& [group, nodes] : r.calls) {
        std::vector<bool>& of_group = whole[group];
        for (std::size_t k = 0; k < of_group.size(); ++k) {
          if (k >= nodes.size() || !r.in[nodes[k]]) of_group[k] = false;
        }
      }
    }
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      for (const auto& [group, nodes] : ranks_[i].calls) {
        for (std::size_t k = 0; k < nodes.size(); ++k) {
          if (ranks_[i].in[nodes[k]] && !whole[group][k]) partial_[i].push_back(nodes[k]);
        }
      }
    }
  }

  // Messages with ranks that are not in the set stay.
  void find_messages() {
    std::vector<RankMessages> messages;
    std::vector<Rank> numbers;
    for (WindowCalls& r : ranks_) {
      messages.push_back(std::move(r.messages));
      numbers.push_back(r.rank);
    }
    peers_to_positions(messages, numbers);
    for_each_message_pair(messages, [&](const MessagePair& p) {
      const bool from = ranks_[p.from_rank].in[p.from_node], to = ranks_[p.to_rank].in[p.to_node];
      if (from && !to) partial_[p.from_rank].push_back(p.from_node);
      if (to && !from) partial_[p.to_rank].push_back(p.to_node);
    });
  }

  std::vector<WindowCalls>& ranks_;
  std::vector<std::vector<std::uint32_t>> partial_;
};

}  // namespace

WindowSet::WindowSet(SetSource& source, const TimeWindow& window, PartialCalls partial, unsigned jobs)
    : source_(source), ranks_(source, jobs), window_(window), what_(partial) {
  find_span(jobs);
  find_partial(jobs);
}

void WindowSet::find_span(unsigned jobs) {
  const auto one = [&](std::size_t i) { return recorded_span(ranks_.read(i)); };
  for_each_ordered(jobs, ranks_.size(), one, [&](std::size_t, RecordedSpan&& s) { span_.add(s); });
  if (span_.last_ns == no_time)
    throw input_error(
        {.file = base_name()},
        "no node says when it ran (start_time_micros or start_nanos, and a duration), so that there is "
        "no window to take; et-replay -o x.run simulates the set",
        "window");
  constexpr std::int64_t most_ns = std::numeric_limits<Picoseconds>::max() / ps_per_ns;
  if (span_.last_ns - span_.begin_ns() > most_ns)
    throw input_error({.file = base_name()}, "the recorded times span more than 106 days; are they of one clock?",
                      "window");
  if (window_.from_ps > recorded_ps())
    throw usage_error("--window: it begins at " + format_time(window_.from_ps) + ", behind the end at " +
                      format_time(recorded_ps()));
}

Picoseconds WindowSet::recorded_ps() const { return (span_.last_ns - span_.begin_ns()) * ps_per_ns; }

void WindowSet::find_partial(unsigned jobs) {
  std::vector<WindowCalls> calls;
  const auto one = [&](std::size_t i) {
    const Trace trace = ranks_.read(i);
    return calls_of(trace, nodes_in_window(trace, span_, window_));
  };
  bool any = false;
  for_each_ordered(jobs, ranks_.size(), one, [&](std::size_t, WindowCalls&& c) {
    any = any || std::ranges::find(c.in, true) != c.in.end();
    calls.push_back(std::move(c));
  });
  if (!any) throw input_error({.file = base_name()}, "no node ran in the window", "window");
  partial_ = PartialFinder(calls).run();
}

std::unique_ptr<TraceReader> WindowSet::open(std::size_t next, std::size_t end) {
  return std::make_unique<WholeRanks>([this, next, end](Trace& out) mutable {
    if (next == end) return false;
    const std::size_t i = next++;
    out = ranks_.read(i);
    const std::vector<bool> in = nodes_in_window(out, span_, window_);
    std::vector<bool> partial(in.size());
    for (const std::uint32_t node : partial_[i]) partial[node] = true;
    const WindowCounts counts = take_window(out, in, partial, what_);
    const std::lock_guard lock(mutex_);
    counts_.add(counts);
    return true;
  });
}

WindowCounts WindowSet::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace convert
