// SPDX-License-Identifier: MIT
#include "analyze/runs/by_key.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "analyze/runs/group_titles.h"
#include "analyze/runs/slices.h"

namespace convert {
namespace {

struct SlicesOfKind {
  std::string name;
  std::uint64_t count = 0;
  Sum time_ps;
  Picoseconds slack_ps = -1;  // the least slack
  std::vector<std::int64_t> times;
};

constexpr std::int64_t of_messages = INT64_MIN, of_others = INT64_MIN + 1;

// Returns the number of a slice's key: name, lane, group or rank.
std::int64_t kind_of(const Run& run, const Slice& s, std::string_view by, const GroupTitles& groups) {
  if (by == "name") return s.name;
  if (by == "type") return static_cast<std::int64_t>(s.lane);
  if (by == "rank") return s.rank;
  if (s.call < run.calls.size()) return groups.representative(run.calls[s.call].group);
  return communicates(s.lane) ? of_messages : of_others;
}

std::string title_of(const Run& run, std::int64_t kind, std::string_view by, const GroupTitles& groups) {
  if (by == "name") return std::string(run.timeline.names[static_cast<std::uint32_t>(kind)]);
  if (by == "type") return std::string(lane_name(static_cast<Lane>(kind)));
  if (by == "group" && kind == of_messages) return "(messages)";
  if (by == "group" && kind == of_others) return "(no communication)";
  return by == "group" ? groups.title(kind) : std::to_string(kind);
}

}  // namespace

Table slices_by(const Run& run, const std::string& by) {
  std::map<std::int64_t, SlicesOfKind> kinds;
  Sum all;
  const SlicesByNpu slices(run);
  const GroupTitles groups(run);
  for (const SlicesByNpu::Npu& npu : slices.npus()) {
    for_each_operation(run, npu, [&](std::span<const std::uint32_t> operation) {
      // Keys already counted; an operation of several slices counts once for each key.
      std::vector<std::int64_t> met;
      for (const std::uint32_t i : operation) {
        const Slice& s = run.timeline.slices[i];
        const std::int64_t kind = kind_of(run, s, by, groups);
        SlicesOfKind& k = kinds[kind];
        if (i < run.slack_ps.size() && run.slack_ps[i] >= 0)
          k.slack_ps = k.slack_ps < 0 ? run.slack_ps[i] : std::min(k.slack_ps, run.slack_ps[i]);
        if (std::ranges::find(met, kind) != met.end()) continue;
        if (operation.size() > 1) met.push_back(kind);
        const Picoseconds time = std::max<Picoseconds>(0, s.end_ps - s.begin_ps);
        // A row of a rank covers one rank, even if it represents others.
        const std::int64_t weight = by == "rank" ? 1 : npu.stands_for;
        k.count += static_cast<std::uint64_t>(weight);
        k.time_ps.add(Sum(time), static_cast<std::uint64_t>(weight));
        all.add(Sum(time), static_cast<std::uint64_t>(npu.stands_for));
        k.times.push_back(time);
      }
    });
  }
  Table t{.key = "slices_by_" + by,
          .title = "by " + by + " (percentiles: nearest rank)",
          .columns = {{by, by, Unit::text},
                      {"count", "count", Unit::count},
                      {"time", "sum", Unit::time},
                      {"time_share", "share", Unit::share},
                      {"mean", "mean", Unit::time},
                      {"p50", "p50", Unit::time},
                      {"p99", "p99", Unit::time},
                      {"max", "max", Unit::time}},
          .more = by + "s"};
  const bool slack = !run.slack_ps.empty();
  if (slack) t.columns.push_back({"least_slack", "least slack", Unit::time});
  for (auto& [kind, k] : kinds) {
    const double mean = k.time_ps.number() / static_cast<double>(k.count);
    std::string title = title_of(run, kind, by, groups);
    if (const std::int64_t alike = by == "rank" ? slices.weight(static_cast<Rank>(kind)) : 1; alike > 1)
      title += " (+ " + std::to_string(alike - 1) + " like it)";
    std::vector<Value> row = {
        std::move(title),        value_of(k.count),       value_of(k.time_ps),     share_of(k.time_ps, all), mean,
        percentile(k.times, 50), percentile(k.times, 99), percentile(k.times, 100)};
    if (slack) row.push_back(k.slack_ps < 0 ? Value{} : Value(k.slack_ps));
    t.rows.push_back(std::move(row));
  }
  if (by != "rank")
    std::stable_sort(t.rows.begin(), t.rows.end(), [](const auto& a, const auto& b) { return a[2] > b[2]; });
  return t;
}

}  // namespace convert
