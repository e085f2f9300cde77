// SPDX-License-Identifier: MIT
#include "sets/derived/windowing.h"

#include <algorithm>
#include <utility>

#include "config/workload/metadata.h"
#include "formats/whole_ranks.h"
#include "passes/window/partial.h"

namespace convert {

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
        {.file = source_.base_name()},
        "no node has a recorded time (start_time_micros or start_nanos, and a duration), so there is no "
        "window; use --iteration to select steps without times",
        "window");
  constexpr std::int64_t most_ns = std::numeric_limits<Picoseconds>::max() / ps_per_ns;
  if (span_.last_ns - span_.begin_ns() > most_ns)
    throw input_error({.file = source_.base_name()},
                      "the recorded times span more than 106 days; check that they are from one clock", "window");
  if (window_.from_ps > recorded_ps())
    throw usage_error("--window begins at " + format_time(window_.from_ps) + ", after the end at " +
                      format_time(recorded_ps()));
}

Picoseconds WindowSet::recorded_ps() const { return (span_.last_ns - span_.begin_ns()) * ps_per_ns; }

void WindowSet::find_partial(unsigned jobs) {
  std::vector<WindowCalls> calls;
  const auto one = [&](std::size_t i) {
    const Trace trace = ranks_.read(i);
    return window_calls(trace, nodes_in_window(trace, span_, window_));
  };
  bool any = false;
  for_each_ordered(jobs, ranks_.size(), one, [&](std::size_t, WindowCalls&& c) {
    any = any || std::ranges::find(c.in, true) != c.in.end();
    calls.push_back(std::move(c));
  });
  if (!any) throw input_error({.file = source_.base_name()}, "no node ran in the window", "window");
  partial_ = find_partial_nodes(calls);
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
    forget_workload(out.metadata);
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
