// SPDX-License-Identifier: MIT
// Communication hidden by computing, by process group, and number of collectives that run at once.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analyze/intervals.h"
#include "analyze/parts.h"
#include "analyze/runs/group_titles.h"
#include "analyze/runs/sections.h"
#include "analyze/runs/slices.h"

namespace convert {
namespace {

constexpr std::int64_t messages_group = INT64_MIN;

struct OfGroup {
  Sum time_ps, hidden_ps, exposed_ps, waiting_ps;
  std::uint64_t npus = 0;
  void add(Picoseconds time, Picoseconds hidden, Picoseconds waiting, std::int64_t npus_like) {
    const auto times = static_cast<std::uint64_t>(npus_like);
    time_ps.add(Sum(time), times);
    hidden_ps.add(Sum(hidden), times);
    exposed_ps.add(Sum(time - hidden), times);
    waiting_ps.add(Sum(waiting), times);
    npus += times;
  }
};

// Communication of one NPU in one group: times in which bytes may move, and times in which the NPU waits for
// others.
struct Communication {
  std::vector<Interval> moving, waiting;
};

// Returns the maximum number of collectives that an NPU has under way at once.
std::uint64_t most_at_once(const Run& run, std::span<const std::uint32_t> slices) {
  std::vector<std::pair<Picoseconds, int>> events;
  for (const std::uint32_t i : slices) {
    const Slice& s = run.timeline.slices[i];
    if (s.lane != Lane::collective || s.begin_ps >= s.end_ps) continue;
    events.emplace_back(s.begin_ps, 1);
    events.emplace_back(s.end_ps, -1);
  }
  std::sort(events.begin(), events.end());  // ends before begins at equal times
  std::int64_t now = 0, most = 0;
  for (const auto& [time, change] : events) most = std::max(most, now += change);
  return static_cast<std::uint64_t>(most);
}

Table group_table(const std::map<std::int64_t, OfGroup>& groups, const GroupTitles& titles) {
  Table t{.key = "by_group",
          .title = "by process group, sums over NPUs (time: union of its communication on an NPU)",
          .columns = {{"group", "group", Unit::text},
                      {"npus", "NPUs", Unit::count},
                      {"time", "time", Unit::time},
                      {"hidden", "hidden", Unit::time},
                      {"hidden", "hidden", Unit::share},
                      {"exposed", "exposed", Unit::time},
                      {"exposed_mean", "exposed per NPU", Unit::time},
                      {"waiting", "waiting", Unit::time}},
          .more = "groups"};
  for (const auto& [group, g] : groups) {
    t.rows.push_back({group == messages_group ? std::string("(messages)") : titles.title(group), value_of(g.npus),
                      value_of(g.time_ps), value_of(g.hidden_ps), share_of(g.hidden_ps, g.time_ps),
                      value_of(g.exposed_ps), g.exposed_ps.number() / static_cast<double>(g.npus),
                      value_of(g.waiting_ps)});
  }
  std::stable_sort(t.rows.begin(), t.rows.end(), [](const auto& a, const auto& b) { return a[5] > b[5]; });
  return t;
}

}  // namespace

Section overlap_section(const Run& run, const RunWishes&) {
  Section s{.name = "overlap"};
  const CommunicationWaits waits(run);
  const GroupTitles titles(run);
  std::map<std::int64_t, OfGroup> groups;
  OfGroup all;
  std::uint64_t at_once = 0;
  const SlicesByNpu slices(run);
  for (const SlicesByNpu::Npu& npu : slices.npus()) {
    std::vector<Interval> compute, any;
    std::map<std::int64_t, Communication> own;
    for (const std::uint32_t i : npu.slices) {
      const Slice& slice = run.timeline.slices[i];
      const Interval time{slice.begin_ps, slice.end_ps};
      if (slice.lane == Lane::compute) compute.push_back(time);
      if (!communicates(slice.lane)) continue;
      const Picoseconds since = waits.until(slice);
      any.push_back({since, slice.end_ps});
      Communication& c =
          own[slice.call < run.calls.size() ? titles.representative(run.calls[slice.call].group) : messages_group];
      c.moving.push_back({since, slice.end_ps});
      c.waiting.push_back({slice.begin_ps, since});
    }
    const Intervals computing = join(std::move(compute)), communication = join(std::move(any));
    all.add(length(communication), length(common(communication, computing)), 0, npu.stands_for);
    for (auto& [group, c] : own) {
      const Intervals moving = join(std::move(c.moving));
      groups[group].add(length(moving), length(common(moving, computing)),
                        length(without(without(join(std::move(c.waiting)), computing), moving)), npu.stands_for);
    }
    at_once = std::max(at_once, most_at_once(run, npu.slices));
  }
  s.figures = {
      {"communication", "communication, summed over NPUs", Unit::time, value_of(all.time_ps)},
      {"hidden", "hidden by computing", Unit::time, value_of(all.hidden_ps)},
      {"hidden", "hidden share of communication", Unit::share, share_of(all.hidden_ps, all.time_ps)},
      {"exposed", "exposed", Unit::time, value_of(all.exposed_ps)},
      {"most_collectives", "collectives under way at once on an NPU, at most", Unit::count, value_of(at_once)}};
  s.tables.push_back(group_table(groups, titles));
  s.notes.emplace_back(
      "groups may communicate at the same time: their times add up to more than the communication of an NPU");
  return s;
}

}  // namespace convert
