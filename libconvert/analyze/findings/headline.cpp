// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyze/findings/rules.h"
#include "core/units.h"
#include "core/words.h"

namespace convert::findings {
namespace {

enum class Category : std::uint8_t { computing, cpu, memory, communication, delays, gaps };
constexpr std::array<std::string_view, 6> category_titles = {
    "computing", "the CPU", "remote memory", "communication", "start delays", "gaps that no dependency explains"};

Category category_of(Run::StepKind kind) {
  switch (kind) {
    case Run::StepKind::compute: return Category::computing;
    case Run::StepKind::cpu: return Category::cpu;
    case Run::StepKind::memory: return Category::memory;
    case Run::StepKind::recorded:
    case Run::StepKind::message:
    case Run::StepKind::receive:
    case Run::StepKind::request:
    case Run::StepKind::requested:
    case Run::StepKind::collective: return Category::communication;
    case Run::StepKind::delay: return Category::delays;
    case Run::StepKind::unexplained: return Category::gaps;
  }
  return Category::gaps;
}

// Returns the kind of communication of a step: "all_gather", "messages".
std::string kind_of(const Run& run, const Run::Step& step) {
  if (step.kind == Run::StepKind::recorded) return "recorded";
  if (step.kind != Run::StepKind::collective) return "messages";
  return step.call == no_index ? "collectives" : std::string(name(run.calls[step.call].op));
}

// Time of a category on the critical path.
struct OnPath {
  Category category = Category::computing;
  Picoseconds time = 0;
  std::map<Rank, Picoseconds> npus{};
  std::map<std::string, Picoseconds> kinds{};  // communication only
};

// Returns the categories of the path, the longest first.
std::vector<OnPath> categories_of(const Run& run) {
  std::vector<OnPath> found(category_titles.size());
  for (std::size_t i = 0; i < found.size(); ++i) found[i].category = static_cast<Category>(i);
  for (const Run::Step& step : run.path) {
    if (step.time_ps == 0) continue;
    OnPath& of = found[static_cast<std::size_t>(category_of(step.kind))];
    of.time += step.time_ps;
    of.npus[step.npu] += step.time_ps;
    if (of.category == Category::communication) of.kinds[kind_of(run, step)] += step.time_ps;
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &OnPath::time);
  return found;
}

// Returns the key with the largest time, and this time.
template <class Key>
std::pair<Key, Picoseconds> most_of(const std::map<Key, Picoseconds>& times) {
  return *std::ranges::max_element(times, {}, [](const auto& entry) { return entry.second; });
}

// Returns the text after a share "97.0 % …": "computing on 64 NPUs, 12.0 % on NPU 5".
std::string where_text(const Facts& facts, const OnPath& of) {
  std::string text(category_titles[static_cast<std::size_t>(of.category)]);
  if (of.category == Category::communication) {
    const auto& [kind, time] = most_of(of.kinds);
    if (of.kinds.size() == 1) return text + " (" + kind + ")";
    return text + ", " + percent(facts.share(time)) + " " + kind;
  }
  const auto& [npu, time] = most_of(of.npus);
  if (of.npus.size() == 1) return text + " on NPU " + std::to_string(npu);
  return text + " on " + counted(of.npus.size(), "NPU") + ", " + percent(facts.share(time)) + " on NPU " +
         std::to_string(npu);
}

}  // namespace

Finding headline(const Facts& facts) {
  const Run& run = facts.run;
  Finding finding{.rule = "headline", .panel = "path"};
  finding.numbers = {{"run", "", Unit::time, facts.total}};
  switch (run.status) {
    case RunStatus::complete:
    case RunStatus::unmatched: finding.text = "The run takes " + brief_time(facts.total); break;
    case RunStatus::stopped: finding.text = "The run was stopped at " + brief_time(facts.total); break;
    case RunStatus::deadlock:
      finding.text = "The run never ends, in a deadlock: nothing happens after " + brief_time(facts.total);
      break;
  }
  const std::vector<OnPath> categories = categories_of(run);
  if (categories.front().time == 0) {
    finding.value = static_cast<double>(facts.total);
    finding.text += '.';
    return finding;
  }
  const OnPath& first = categories[0];
  const OnPath& second = categories[1];
  finding.value = facts.share(first.time);
  for (const auto& [npu, time] : first.npus) finding.npus.push_back(npu);
  for (const OnPath& of : categories) {
    constexpr std::array<std::string_view, category_titles.size()> keys = {"computing",     "cpu",    "memory",
                                                                           "communication", "delays", "gaps"};
    if (of.time != 0)
      finding.numbers.push_back(
          {std::string(keys[static_cast<std::size_t>(of.category)]), "", Unit::share, facts.share(of.time)});
  }
  finding.text += ": " + percent(finding.value) + " of its critical path is " + where_text(facts, first);
  constexpr double least_second = 0.1;
  if (facts.share(second.time) >= least_second)
    finding.text += "; " + percent(facts.share(second.time)) + " is " + where_text(facts, second);
  finding.text += '.';
  return finding;
}

Found stopped(const Facts& facts) {
  const Run& run = facts.run;
  if (run.status != RunStatus::deadlock || run.waits.empty()) return {};
  RuleFinding finding{
      {.rule = "stopped", .panel = "waits", .value = static_cast<double>(run.waits.size()), .effect = 1}};
  finding.text = counted(run.waits.size(), "node") +
                 " wait forever; the first: " + std::string(run.texts[run.waits.front().text]) + ".";
  if (!run.hints.empty()) finding.text += " To resolve it, " + run.hints.front() + ".";
  return {std::move(finding)};
}

std::optional<Finding> model_limits(const Facts& facts) {
  if (facts.run.limits.empty()) return std::nullopt;
  std::vector<std::string> limits = facts.run.limits;
  for (std::string& limit : limits) limit.erase(limit.find_last_not_of(". ") + 1);
  return Finding{
      .rule = "model_limits", .panel = "made", .text = "Limits of the simulation: " + join(limits, "; ") + "."};
}

}  // namespace convert::findings
