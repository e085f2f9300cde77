// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyze/findings/rules.h"
#include "core/units.h"
#include "core/words.h"

namespace convert::findings {
namespace {

// Returns what a step of the path is part of: "computing on NPU 5", "all_gather", "messages".
std::string kind_text(const Run& run, const Run::Step& step) {
  const std::string npu = " on NPU " + std::to_string(step.npu);
  switch (step.kind) {
    case Run::StepKind::compute: return "computing" + npu;
    case Run::StepKind::cpu: return "the CPU" + npu;
    case Run::StepKind::memory: return "remote memory" + npu;
    case Run::StepKind::recorded: return "recorded communication" + npu;
    case Run::StepKind::message:
    case Run::StepKind::receive:
    case Run::StepKind::request:
    case Run::StepKind::requested: return "messages";
    case Run::StepKind::collective:
      return step.call == no_index ? "collectives" : std::string(name(run.calls[step.call].op));
    case Run::StepKind::delay: return "start delays" + npu;
    case Run::StepKind::unexplained: return "gaps that no dependency explains" + npu;
  }
  return "";
}

// Returns what fills the path, the longest first.
std::vector<std::pair<Picoseconds, std::string>> fillers(const Run& run) {
  std::map<std::string, Picoseconds> times;
  for (const Run::Step& step : run.path) times[kind_text(run, step)] += step.time_ps;
  std::vector<std::pair<Picoseconds, std::string>> sorted;
  for (const auto& [kind, time] : times) sorted.emplace_back(time, kind);
  std::ranges::stable_sort(sorted, std::ranges::greater(), &std::pair<Picoseconds, std::string>::first);
  return sorted;
}

}  // namespace

Finding headline(const Facts& facts) {
  const Run& run = facts.run;
  Finding finding{.rule = "headline", .panel = "path"};
  switch (run.status) {
    case RunStatus::complete:
    case RunStatus::unmatched: finding.text = "The run takes " + brief_time(facts.total); break;
    case RunStatus::stopped: finding.text = "The run was stopped at " + brief_time(facts.total); break;
    case RunStatus::deadlock:
      finding.text = "The run never ends, in a deadlock: nothing happens after " + brief_time(facts.total);
      break;
  }
  const auto sorted = fillers(run);
  if (sorted.empty() || sorted.front().first == 0) {
    finding.value = static_cast<double>(facts.total);
    finding.text += '.';
    return finding;
  }
  finding.value = facts.share(sorted.front().first);
  finding.text += ", and " + percent(finding.value) + " of its critical path is " + sorted.front().second;
  if (finding.value < 0.5 && sorted.size() > 1 && sorted[1].first > 0)
    finding.text += ", " + percent(facts.share(sorted[1].first)) + " " + sorted[1].second;
  finding.text += '.';
  return finding;
}

std::optional<Weighed> stopped(const Facts& facts) {
  const Run& run = facts.run;
  if (run.status != RunStatus::deadlock || run.waits.empty()) return std::nullopt;
  Weighed finding{{.rule = "stopped", .panel = "waits", .value = static_cast<double>(run.waits.size())}, 2};
  finding.text = counted(run.waits.size(), "node") +
                 " wait for ever; the first: " + std::string(run.texts[run.waits.front().text]) + ".";
  if (!run.hints.empty()) finding.text += " To resolve it, " + run.hints.front() + ".";
  return finding;
}

std::optional<Weighed> model_limits(const Facts& facts) {
  if (facts.run.limits.empty()) return std::nullopt;
  std::vector<std::string> limits = facts.run.limits;
  for (std::string& limit : limits) limit.erase(limit.find_last_not_of(". ") + 1);
  return Weighed{{.rule = "model_limits", .panel = "made", .text = "The model: " + join(limits, "; ") + "."}, 0};
}

}  // namespace convert::findings
