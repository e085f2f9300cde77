// SPDX-License-Identifier: MIT
// Skew of collectives: time between the first and last call, and how often each NPU is the last.
#include <algorithm>
#include <map>
#include <vector>

#include "analyze/runs/group_titles.h"
#include "analyze/runs/sections.h"
#include "analyze/runs/slices.h"

namespace convert {
namespace {

struct Late {
  std::uint64_t calls = 0;  // calls in which it takes part
  std::uint64_t last = 0;   // calls in which it is the last, alone or with others
  Sum held_up_ps;           // how long the first caller of these calls waited
};

// Returns the time from the first call to the last.
Picoseconds spread_of(const Run::Call& c) { return std::max<Picoseconds>(0, c.last_begin_ps - c.begin_ps); }

Table straggler_table(const std::map<Rank, Late>& late) {
  Table t{.key = "stragglers",
          .title = "NPUs that call last",
          .columns = {{"npu", "NPU", Unit::count},
                      {"calls", "collectives", Unit::count},
                      {"last", "last at", Unit::count},
                      {"last_share", "share", Unit::share},
                      {"held_up", "first to last call, sum", Unit::time}},
          .more = "NPUs"};
  for (const auto& [rank, l] : late) {
    if (l.last == 0) continue;
    t.rows.push_back({std::int64_t{rank}, value_of(l.calls), value_of(l.last),
                      share_of(static_cast<std::int64_t>(l.last), static_cast<std::int64_t>(l.calls)),
                      value_of(l.held_up_ps)});
  }
  std::stable_sort(t.rows.begin(), t.rows.end(), [](const auto& a, const auto& b) { return a[2] > b[2]; });
  return t;
}

// `last_of`: by call, the NPU that called it last.
Table call_table(const Run& run, const std::vector<Value>& last_of) {
  Table t{.key = "by_call",
          .title = "collectives by time between first and last call, the longest first",
          .columns = {{"collective", "collective", Unit::text},
                      {"group", "group", Unit::text},
                      {"number", "number", Unit::count},
                      {"size", "size", Unit::bytes},
                      {"begin", "begin", Unit::time},
                      {"spread", "first to last call", Unit::time},
                      {"last", "last NPU", Unit::count}},
          .more = "collectives"};
  const GroupTitles titles(run);
  for (std::size_t i = 0; i < run.calls.size(); ++i) {
    const Run::Call& c = run.calls[i];
    if (spread_of(c) == 0) continue;
    t.rows.push_back({std::string(name(c.op)), titles.title_alone(c.group), std::int64_t{c.number},
                      c.size_bytes < 0 ? Value{} : Value(c.size_bytes), c.begin_ps, spread_of(c), last_of[i]});
  }
  std::stable_sort(t.rows.begin(), t.rows.end(), [](const auto& a, const auto& b) { return a[5] > b[5]; });
  return t;
}

}  // namespace

Section skew_section(const Run& run, const RunWishes&) {
  Section s{.name = "skew"};
  std::vector<Value> last_of(run.calls.size());
  std::map<Rank, Late> late;
  for (const Run::CallNpu& c : run.call_npus) {
    if (c.call >= run.calls.size()) continue;
    const Run::Call& call = run.calls[c.call];
    Late& l = late[c.npu];
    ++l.calls;
    if (c.begin_ps != call.last_begin_ps || spread_of(call) == 0) continue;
    ++l.last;
    l.held_up_ps.add(spread_of(call));
    if (std::holds_alternative<std::monostate>(last_of[c.call])) last_of[c.call] = std::int64_t{c.npu};
  }
  std::vector<std::int64_t> spreads;
  for (const Run::Call& c : run.calls) spreads.push_back(spread_of(c));
  const auto together = static_cast<std::uint64_t>(std::count(spreads.begin(), spreads.end(), 0));
  const bool any = !spreads.empty();
  s.figures = {
      {"calls", "collectives", Unit::count, value_of(run.calls.size())},
      {"together", "called by all NPUs at once", Unit::count, value_of(together)},
      {"spread_p50", "first to last call, median", Unit::time, any ? Value(percentile(spreads, 50)) : Value{}},
      {"spread_p99", "99th percentile", Unit::time, any ? Value(percentile(spreads, 99)) : Value{}},
      {"spread_max", "at most", Unit::time, any ? Value(percentile(spreads, 100)) : Value{}}};
  s.tables = {straggler_table(late), call_table(run, last_of)};
  if (run.call_npus.empty() && any)
    s.notes.emplace_back("the run does not record when each NPU called a collective, so the last one is unknown");
  const auto told = [&](const Run::Class& c) {
    return std::ranges::any_of(run.call_npus, [&](const Run::CallNpu& n) { return n.npu == c.npu; });
  };
  if (!run.classes.empty() && !told(run.classes.front()))
    s.notes.emplace_back(
        "NPUs of a rank class, which did the same at the same times, are counted once as their representative");
  return s;
}

}  // namespace convert
