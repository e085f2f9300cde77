// SPDX-License-Identifier: MIT
// Rules about the network: busy links, latency, slow collectives.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyze/findings/rules.h"
#include "analyze/intervals.h"
#include "core/units.h"

namespace convert::findings {
namespace {

// Returns the total time of bytes and of latencies over all hops, in ns.
std::array<double, 2> times_on_links(const Run& run) {
  double bytes = 0;
  double latency = 0;
  for (const Run::Link& l : run.links) {
    if (l.gb_per_s > 0) bytes += static_cast<double>(l.bytes) / l.gb_per_s;
    latency += static_cast<double>(l.messages) * l.latency_ns;
  }
  return {bytes, latency};
}

// Estimates the same times by the dimensions of a network if the run has no links.
std::array<double, 2> times_by_dimension(const Run& run) {
  double bytes = 0;
  double latency = 0;
  for (const Run::Traffic& t : run.matrix) {
    std::uint32_t src = t.src;
    std::uint32_t dst = t.dst;
    latency += static_cast<double>(t.messages) * t.latency_ns;
    for (const Run::Dim& d : run.dims) {
      if (d.npus == 0) break;
      if (d.gb_per_s > 0 && src % d.npus != dst % d.npus) bytes += static_cast<double>(t.bytes) / d.gb_per_s;
      src /= d.npus;
      dst /= d.npus;
    }
  }
  return {bytes, latency};
}

bool is_tree(const Run& run) {
  return std::ranges::any_of(run.dims, [&](const Run::Dim& d) { return run.texts[d.topology] == "tree"; });
}

// Totals of the calls of one operation.
struct Operation {
  std::size_t calls = 0;
  std::set<std::int64_t> groups;
  double bound = 0;
  double time = 0;  // from the time when the last NPU has called it
  std::vector<Interval> when;
};

// Returns for each operation the largest number of calls under way at once on an NPU that takes part in one of its
// calls.
std::map<Collective, std::uint32_t> most_at_once(const Run& run) {
  struct Change {
    Rank npu;
    Picoseconds time;
    bool begins;
    Collective op;
    auto operator<=>(const Change&) const = default;  // ends come first at equal times
  };
  std::vector<Change> changes;
  for (const Run::CallNpu& n : run.call_npus) {
    const Run::Call& c = run.calls[n.call];
    if (n.end_ps <= c.last_begin_ps) continue;
    changes.push_back({n.npu, c.last_begin_ps, true, c.op});
    changes.push_back({n.npu, n.end_ps, false, c.op});
  }
  std::ranges::sort(changes);
  std::map<Collective, std::uint32_t> now, most;
  std::uint32_t all = 0;
  for (const Change& change : changes) {
    all += change.begins ? 1 : -1;
    now[change.op] += change.begins ? 1 : -1;
    for (const auto& [op, n] : now) {
      if (n != 0) most[op] = std::max(most[op], all);
    }
  }
  return most;
}

// Returns ", where up to 3 collectives share an NPU's links"; an empty text if no links are shared.
std::string shared_text(const std::map<Collective, std::uint32_t>& at_once, Collective op) {
  const auto found = at_once.find(op);
  if (found == at_once.end() || found->second < 2) return {};
  return ", where up to " + std::to_string(found->second) + " collectives share an NPU's links";
}

}  // namespace

Found hot_link(const Facts& facts) {
  constexpr double least_ratio = 2;
  const std::vector<Run::Link>& links = facts.run.links;
  if (links.size() < 2 || facts.total == 0) return {};
  const auto busiest = std::ranges::max_element(links, {}, &Run::Link::busy_ps);
  double sum = 0;
  for (const Run::Link& l : links) sum += static_cast<double>(l.busy_ps);
  const double mean = sum / static_cast<double>(links.size()) / static_cast<double>(facts.total);
  const double busy = facts.share(busiest->busy_ps);
  if (busy == 0 || busy < least_ratio * mean) return {};
  RuleFinding finding{{.rule = "hot_link", .panel = "links", .value = busy}};
  finding.numbers = {{"busy", "", Unit::share, busy}, {"mean_busy", "", Unit::share, mean}};
  const std::string where = busiest->dim < 0 ? "" : " in dimension " + std::to_string(busiest->dim + 1);
  char ratio[24];
  std::snprintf(ratio, sizeof ratio, "%.1f", busy / mean);
  finding.text = "Link " + link_name(facts.run, *busiest) + where + " is busy for " + percent(busy) +
                 " of the time, " + ratio + " times the mean of the " + std::to_string(links.size()) +
                 " links that are used";
  tell_outcome(
      finding, facts, facts.what_if(Run::Change::bandwidth, busiest->dim),
      busiest->dim < 0 ? "; with twice the bandwidth of all links " : "; with twice its dimension's bandwidth ",
      busy - mean);
  finding.text += '.';
  return {std::move(finding)};
}

Found latency_bound(const Facts& facts) {
  const Run& run = facts.run;
  const auto [bytes, latency] = !run.links.empty() ? times_on_links(run)
                                : is_tree(run)     ? std::array<double, 2>{}
                                                   : times_by_dimension(run);
  if (latency <= bytes) return {};
  const double share = latency / (bytes + latency);
  const double exposed = facts.mean_share([](const NpuParts& p) { return p[Part::exposed]; });
  RuleFinding finding{{.rule = "latency_bound", .panel = "collectives", .value = share}};
  finding.numbers = {{"latency", "", Unit::share, share}};
  finding.text = "Messages spend " + percent(share) + " of their time on the latency of links, " +
                 percent(1 - share) + " on their bytes";
  tell_outcome(finding, facts, facts.what_if(Run::Change::latency, -1), "; without latency ", share * exposed);
  finding.text += '.';
  return {std::move(finding)};
}

// The remedy is an algorithm that reaches the bound. Its effect is measured if a replay with another algorithm
// exists. Otherwise it is estimated: at most the gain of the run if the calls take no time.
Found slow_collective(const Facts& facts) {
  constexpr double most_share = 0.5;
  const Run& run = facts.run;
  const double exposed = facts.mean_share([](const NpuParts& p) { return p[Part::exposed]; });
  std::map<Collective, Operation> operations;
  for (const Run::Call& c : run.calls) {
    if (c.end_ps < 0 || c.bound_ps <= 0 || c.end_ps == c.last_begin_ps) continue;
    Operation& o = operations[c.op];
    ++o.calls;
    o.groups.insert(c.group);
    o.bound += static_cast<double>(c.bound_ps);
    o.time += static_cast<double>(c.end_ps - c.last_begin_ps);
    o.when.push_back({c.last_begin_ps, c.end_ps});
  }
  Found found;
  const std::map<Collective, std::uint32_t> at_once = most_at_once(run);
  for (auto& [op, o] : operations) {
    const double share = o.bound / o.time;
    if (share >= most_share) continue;
    const Picoseconds when = length(join(std::move(o.when)));
    RuleFinding finding{{.rule = "slow_collective", .panel = "collectives", .value = share}};
    finding.numbers = {{"bound", "", Unit::share, share}, {"under_way", "", Unit::time, when}};
    finding.text = std::string(name(op)) + " reaches " + percent(share) +
                   " of what the links of its NPUs allow: " + counted(o.calls, "call") + ", under way for " +
                   brief_time(when) + " of the run" + shared_text(at_once, op);
    const auto changes = [&, op = op](Run::Change change) {
      return facts.best(
          [&](const Run::WhatIf& w) { return w.change == change && w.subject == static_cast<std::int32_t>(op); });
    };
    const Run::WhatIf* better = changes(Run::Change::algorithm);
    if (better != nullptr && facts.gain(*better) >= least_effect) {
      tell_outcome(finding, facts, better, "; if " + std::string(run.texts[better->what]) + ", ", 0);
    } else {
      finding.effect = (1 - share) * facts.share(when) * exposed;
      const Run::WhatIf* free = o.groups.size() == 1 ? changes(Run::Change::free_call) : nullptr;
      for (const Run::WhatIf* most : {free, facts.what_if(Run::Change::no_network, -1)}) {
        if (most != nullptr) finding.effect = std::min(finding.effect, facts.gain(*most));
      }
    }
    finding.text += '.';
    found.push_back(std::move(finding));
  }
  return found;
}

}  // namespace convert::findings
