// SPDX-License-Identifier: MIT
// Rules about the work of NPUs: stragglers, NPUs without work, exposed communication, and gains of other replays.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "analyze/findings/rules.h"
#include "analyze/intervals.h"
#include "core/run/stragglers.h"
#include "core/units.h"

namespace convert::findings {
namespace {

// Number of collectives of a group of NPUs, and number of times that a member arrives last while other NPUs wait.
struct Arrivals {
  std::size_t last = 0;
  std::size_t all = 0;
};
Arrivals arrivals_of(const Run& run, const std::vector<Rank>& npus) {
  Arrivals found;
  std::vector<bool> takes_part(run.calls.size()), is_last(run.calls.size());
  for (const Run::CallNpu& c : run.call_npus) {
    if (!std::ranges::binary_search(npus, c.npu)) continue;
    const Run::Call& call = run.calls[c.call];
    takes_part[c.call] = true;
    if (call.last_begin_ps > call.begin_ps && c.begin_ps == call.last_begin_ps) is_last[c.call] = true;
  }
  found.last = static_cast<std::size_t>(std::ranges::count(is_last, true));
  found.all = static_cast<std::size_t>(std::ranges::count(takes_part, true));
  return found;
}

// Returns the intervals in which an NPU has nothing to do: no node is under way, or all nodes under way wait for
// other NPUs.
Intervals gaps_of(const Run& run, const std::vector<std::uint32_t>& slices, const CommunicationWaits& waits) {
  std::vector<Interval> gaps;
  for_each_stretch(run, slices, waits, [&](Part part, Picoseconds begin, Picoseconds end) {
    if (part == Part::waiting || part == Part::idle) gaps.push_back({begin, end});
  });
  return join(std::move(gaps));
}

// Returns "4.2 times", "136 times".
std::string times_text(double ratio) {
  char text[40];
  std::snprintf(text, sizeof text, ratio < 10 ? "%.1f times" : "%.0f times", ratio);
  return text;
}

RuleFinding straggler_finding(const Facts& facts, const Stragglers& all, const StragglerGroup& group) {
  constexpr double told_as_times = 3;
  const double ratio = static_cast<double>(group.time_ps) / static_cast<double>(all.median_ps);
  const bool one = group.npus.size() == 1;
  RuleFinding finding{{.rule = "straggler", .panel = "breakdown", .value = ratio, .npus = group.npus}};
  finding.numbers = {{"computing", "", Unit::time, group.time_ps}, {"median", "", Unit::time, all.median_ps}};
  finding.text = npus_text(group.npus) + (one ? " computes for " : " compute for ") + brief_time(group.time_ps) +
                 ", " +
                 (ratio < told_as_times ? percent(ratio - 1) + " longer than" : times_text(ratio) + " as long as") +
                 (facts.run.npus.size() == 2 ? " the other NPU" : " the median NPU");
  if (const auto [last, calls] = arrivals_of(facts.run, group.npus); last != 0) {
    finding.text += std::string(", and ") + (one ? "is" : "are") + " the last to arrive at " +
                    std::to_string(last) + " of " + (one ? "its " : "their ") + counted(calls, "collective");
  }
  tell_outcome(finding, facts,
               facts.what_if(Run::Change::like_median, static_cast<std::int32_t>(group.npus.front())),
               std::string("; if ") + (one ? "it" : "they") + " computed like the median, ",
               facts.share(group.time_ps - all.median_ps));
  finding.text += '.';
  return finding;
}

}  // namespace

Found straggler(const Facts& facts) {
  const RunStatus status = facts.run.status;
  // A run with another status would not end without the straggler either.
  if (status != RunStatus::complete && status != RunStatus::stopped) return {};
  std::vector<NpuComputing> computing;
  for (const NpuParts& p : facts.parts) computing.push_back({p.npu, p.computing()});
  const Stragglers all = find_stragglers(computing);
  Found found;
  for (const StragglerGroup& group : all.groups) {
    if (found.size() == most_findings) break;  // the slowest come first
    found.push_back(straggler_finding(facts, all, group));
  }
  return found;
}

Found bubble(const Facts& facts) {
  constexpr double least_share = 0.05;
  const Run& run = facts.run;
  const auto nothing = [](const NpuParts& p) { return p[Part::waiting] + p[Part::idle]; };
  const double mean = facts.mean_share(nothing);
  if (mean < least_share) return {};
  const std::size_t n =
      static_cast<std::size_t>(std::ranges::max_element(facts.parts, {}, nothing) - facts.parts.begin());
  const Intervals gaps = gaps_of(run, slices_by_npu(run)[told_by(run)[n]], CommunicationWaits(run));
  const Interval longest = *std::ranges::max_element(gaps, {}, [](const Interval& g) { return g.end - g.begin; });
  const double idle = facts.mean_share([](const NpuParts& p) { return p[Part::idle]; });
  const NpuParts& most = facts.parts[n];
  RuleFinding finding{{.rule = "bubble", .panel = "activity", .value = mean, .effect = mean, .npus = {most.npu}}};
  finding.numbers = {{"idle", "", Unit::share, idle},
                     {"waiting", "", Unit::share, mean - idle},
                     {"most", "", Unit::share, facts.share(nothing(most))},
                     {"longest_begin", "", Unit::time, longest.begin},
                     {"longest_end", "", Unit::time, longest.end}};
  finding.text = "NPUs have nothing to do for " + percent(mean) + " of the time (mean): " + percent(idle) +
                 " without a node under way, " + percent(std::max(0.0, mean - idle)) +
                 " waiting for others; most of all " + npus_text(finding.npus) + " with " +
                 percent(facts.share(nothing(most))) + ", longest from " + brief_time(longest.begin) + " to " +
                 brief_time(longest.end) + ".";
  return {std::move(finding)};
}

Found best_change(const Facts& facts) {
  const Run::WhatIf* best = facts.best([](const Run::WhatIf& w) {
    // The straggler rule covers like_median; changes to zero time are bounds, not remedies.
    return w.change != Run::Change::no_network && w.change != Run::Change::no_compute &&
           w.change != Run::Change::free_call && w.change != Run::Change::like_median;
  });
  if (best == nullptr) return {};
  RuleFinding finding{{.rule = "best_change", .panel = "whatif", .value = facts.gain(*best)}};
  finding.text = "If " + std::string(facts.run.texts[best->what]);
  tell_outcome(finding, facts, best, ", ", 0);
  finding.text += '.';
  return {std::move(finding)};
}

Found exposed_communication(const Facts& facts) {
  constexpr double least_share = 0.1;
  const double exposed = facts.mean_share([](const NpuParts& p) { return p[Part::exposed]; });
  if (exposed < least_share) return {};
  const double all = facts.mean_share([](const NpuParts& p) { return p.communication(); });
  const auto time = std::llround(exposed * static_cast<double>(facts.total));
  const double hidden = all == 0 ? 0 : (all - exposed) / all;
  RuleFinding finding{{.rule = "exposed_communication", .panel = "breakdown", .value = exposed}};
  finding.numbers = {{"exposed", "", Unit::time, std::int64_t{time}}, {"hidden", "", Unit::share, hidden}};
  finding.text = "Exposed communication takes " + percent(exposed) + " of the time (" + brief_time(time) +
                 " per NPU); computing hides " + percent(hidden) + " of all communication";
  tell_outcome(finding, facts, facts.what_if(Run::Change::no_network, -1), "; on an ideal network ", exposed);
  finding.text += '.';
  return {std::move(finding)};
}

}  // namespace convert::findings
