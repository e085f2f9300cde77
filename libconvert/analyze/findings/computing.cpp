// SPDX-License-Identifier: MIT
// Rules about what NPUs do: one that computes longer, NPUs without work, communication that is not hidden, and what
// other replays gain.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "analyze/findings/rules.h"
#include "core/units.h"

namespace convert::findings {
namespace {

// Returns the median; of an even number the lower one of the two in the middle.
Picoseconds median(std::vector<Picoseconds> times) {
  if (times.empty()) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

// Returns in how many collectives the NPU is the last to arrive while others wait, and of how many.
std::pair<std::size_t, std::size_t> last_arrivals(const Run& run, Rank npu) {
  std::size_t last = 0;
  std::size_t all = 0;
  for (const Run::CallNpu& c : run.call_npus) {
    if (c.npu != npu) continue;
    const Run::Call& call = run.calls[c.call];
    ++all;
    if (call.last_begin_ps > call.begin_ps && c.begin_ps == call.last_begin_ps) ++last;
  }
  return {last, all};
}

// Returns when an NPU has nothing to do: no node is under way, or nothing but receives whose sends have not begun.
Intervals gaps_of(const Run& run, const std::vector<std::uint32_t>& slices, const CommunicationWaits& waits,
                  Picoseconds total) {
  std::vector<Interval> busy;
  for (const std::uint32_t i : slices) {
    const Slice& s = run.timeline.slices[i];
    busy.push_back({s.lane == Lane::recv ? waits.until(s) : s.begin_ps, s.end_ps});
  }
  return without(join({{0, total}}), join(std::move(busy)));
}

// Returns "4.2 times", "136 times".
std::string times_text(double ratio) {
  char text[40];
  std::snprintf(text, sizeof text, ratio < 10 ? "%.1f times" : "%.0f times", ratio);
  return text;
}

std::string change_text(const Run& run, const Run::WhatIf& w) { return std::string(run.texts[w.what]); }

}  // namespace

std::optional<Weighed> straggler(const Facts& facts) {
  constexpr double least_ratio = 1.05, told_as_times = 3;
  const RunStatus status = facts.run.status;
  if (status != RunStatus::complete && status != RunStatus::stopped) return std::nullopt;  // the others still would
  std::vector<Picoseconds> times;
  for (const NpuParts& p : facts.parts) times.push_back(p.computing());
  const Picoseconds typical = median(times);
  if (typical == 0 || times.size() < 3) return std::nullopt;
  const auto slowest = std::ranges::max_element(times);
  const double ratio = static_cast<double>(*slowest) / static_cast<double>(typical);
  if (ratio <= least_ratio) return std::nullopt;
  const Rank npu = facts.parts[static_cast<std::size_t>(slowest - times.begin())].npu;
  const Run::WhatIf* w = facts.what_if(Run::Change::like_median, static_cast<std::int32_t>(npu));
  Weighed finding{{.rule = "straggler", .panel = "breakdown", .value = ratio},
                  w != nullptr ? facts.gain(*w) : facts.share(*slowest - typical)};
  finding.text = "NPU " + std::to_string(npu) + " computes for " + brief_time(*slowest) + ", " +
                 (ratio < told_as_times ? percent(ratio - 1) + " longer than" : times_text(ratio) + " as long as") +
                 " the median NPU";
  const auto [last, all] = last_arrivals(facts.run, npu);
  if (last != 0)
    finding.text +=
        ", and is the last to arrive at " + std::to_string(last) + " of its " + counted(all, "collective");
  tell_outcome(finding, facts, w, "; if it computed like the median, ");
  finding.text += '.';
  return finding;
}

std::optional<Weighed> bubble(const Facts& facts) {
  constexpr double least_share = 0.05;
  const Run& run = facts.run;
  if (facts.parts.empty() || facts.total == 0) return std::nullopt;
  const CommunicationWaits waits(run);
  const auto by_npu = slices_by_npu(run);
  const std::vector<std::size_t> by = told_by(run);
  std::vector<Intervals> gaps_of_npu;
  for (std::size_t n = 0; n < by_npu.size(); ++n)
    gaps_of_npu.push_back(by[n] == n ? gaps_of(run, by_npu[n], waits, facts.total) : Intervals());
  double sum = 0;
  Picoseconds most = -1;
  Rank most_npu = 0;
  Interval longest{};
  for (std::size_t n = 0; n < by_npu.size(); ++n) {
    const Intervals& gaps = gaps_of_npu[by[n]];
    const Picoseconds time = length(gaps);
    sum += static_cast<double>(time);
    if (time <= most) continue;
    most = time;
    most_npu = facts.parts[n].npu;
    longest = {};
    for (const Interval& g : gaps) {
      if (g.end - g.begin > longest.end - longest.begin) longest = g;
    }
  }
  const double mean = sum / static_cast<double>(by_npu.size()) / static_cast<double>(facts.total);
  if (mean < least_share) return std::nullopt;
  const double idle = facts.mean_share([](const NpuParts& p) { return p[Part::idle]; });
  Weighed finding{{.rule = "bubble", .panel = "activity", .value = mean}, mean};
  finding.text = "NPUs have nothing to do for " + percent(mean) + " of the time (mean): " + percent(idle) +
                 " without a node under way, " + percent(std::max(0.0, mean - idle)) +
                 " until a message is sent; most of all NPU " + std::to_string(most_npu) + " with " +
                 percent(facts.share(most)) + ", longest from " + brief_time(longest.begin) + " to " +
                 brief_time(longest.end) + ".";
  return finding;
}

std::optional<Weighed> best_change(const Facts& facts) {
  constexpr double least_gain = 0.03;
  const Run::WhatIf* best = nullptr;
  for (const Run::WhatIf& w : facts.run.whatif) {
    // The other rules tell what a straggler costs; what takes no time at all is a bound, no change.
    const bool bound = w.change == Run::Change::no_network || w.change == Run::Change::no_compute ||
                       w.change == Run::Change::free_call;
    if (w.total_ps < 0 || bound || w.change == Run::Change::like_median) continue;
    if (best == nullptr || w.total_ps < best->total_ps) best = &w;
  }
  if (best == nullptr || facts.gain(*best) < least_gain) return std::nullopt;
  Weighed finding{{.rule = "best_change", .panel = "whatif", .value = facts.gain(*best)}, facts.gain(*best)};
  finding.text = "If " + change_text(facts.run, *best);
  tell_outcome(finding, facts, best, ", ");
  finding.text += '.';
  return finding;
}

std::optional<Weighed> exposed_communication(const Facts& facts) {
  constexpr double least_share = 0.1;
  const double exposed = facts.mean_share([](const NpuParts& p) { return p.exposed(); });
  if (exposed < least_share) return std::nullopt;
  const double all = facts.mean_share([](const NpuParts& p) { return p.communication(); });
  const double waiting = facts.mean_share([](const NpuParts& p) { return p[Part::waiting]; });
  const auto time = [&](double share) {
    return brief_time(std::llround(share * static_cast<double>(facts.total)));
  };
  Weighed finding{{.rule = "exposed_communication", .panel = "breakdown", .value = exposed}, exposed};
  finding.text = "Communication is exposed for " + percent(exposed) + " of the time (" + time(exposed) +
                 " per NPU): " + time(exposed - waiting) + " moving bytes, " + time(waiting) +
                 " waiting for other NPUs; " + percent(all == 0 ? 0 : (all - exposed) / all) + " of it is hidden.";
  return finding;
}

}  // namespace convert::findings
