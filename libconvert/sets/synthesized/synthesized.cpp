// SPDX-License-Identifier: MIT
#include "sets/synthesized/synthesized.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

#include "core/units.h"
#include "passes/ten/check.h"
#include "synthesis/bounds/report.h"
#include "synthesis/list_schedule.h"
#include "util/json_writer.h"

namespace convert {
namespace {

std::string meta_of(const SynthesisProblem& problem, const SynthesisChoice& choice, const SynthesizedAlgorithm& s) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("producer", "et-generate").member("synthesis", s.summary()).member("method", s.method);
  json.key("bound_us").raw(format_exact(s.limits.lower, ps_per_us)).member("seed", choice.seed);
  json.member("participants", problem.size()).end_object();
  return text;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::size_t most_on_a_link(const Moves& moves) {
  std::map<std::uint32_t, std::size_t> messages;
  std::size_t most = 0;
  for (const std::uint32_t link : moves.links) most = std::max(most, ++messages[link]);
  return most;
}

// An error in the schedule is a bug of the synthesis. Idle links are no defect.
CheckedSchedule checked(const SynthesisProblem& problem, const TimedMoves& made, Diagnostics& diagnostics) {
  Schedule schedule = schedule_of(problem, made);
  schedule.name = std::string(name(problem.collective)) + "_synthesized";
  Diagnostics findings;
  CheckedSchedule out = check_and_repair(std::move(schedule), {}, findings);
  for (const Diagnostic& d : findings.all()) {
    if (d.severity == Severity::error)
      throw Error("the synthesized schedule is wrong: " + d.message + " [" + d.rule + "]");
    if (d.message.find(unused_links_text) == std::string::npos) diagnostics.add(d);
  }
  return out;
}

// Schedules have store-and-forward times. The algorithm claims the time with cut-through devices.
CheckedSchedule checked_cut_through(const SynthesisProblem& problem, TimedMoves& made, Diagnostics& diagnostics,
                                    const AlgorithmJudge& judge) {
  CheckedSchedule out = checked(stored(problem), retimed(stored(problem), made), diagnostics);
  for (ScheduledTransfer& t : out.algorithm.transfers) t.start_ps = t.end_ps = -1;
  out.algorithm.scheduled_for.forwarding = name(problem.forwarding);
  if (judge) made.total = judge(out.algorithm);
  out.algorithm.claimed_ps = made.total;
  return out;
}

}  // namespace

void SynthesizedAlgorithm::set_time(const SynthesisProblem& problem, Picoseconds time, std::size_t messages) {
  total = time;
  allow_rounding(limits, time, messages);
  bounds = first_line(bounds_text(problem, limits));
}

std::string SynthesizedAlgorithm::summary() const {
  std::string text = bounds + "; " + format_time(total) + " found";
  if (limits.lower > 0) {
    std::array<char, 32> ratio{};
    (void)std::snprintf(ratio.data(), ratio.size(), "%.3f",
                        static_cast<double>(total) / static_cast<double>(limits.lower));
    text += std::string(", ") + ratio.data() + " of the bound";
  }
  return method.empty() ? text : text + ", " + method;
}

SynthesizedAlgorithm synthesize_algorithm(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                          Diagnostics& diagnostics, const AlgorithmJudge& judge) {
  SynthesisResult s = synthesize(problem, choice);
  SynthesizedAlgorithm out;
  out.limits = std::move(s.bounds);
  if (problem.cuts.empty()) {
    out.made = checked(problem, s.made, diagnostics);
  } else {
    out.made = checked_cut_through(problem, s.made, diagnostics, judge);
    if (s.other) {
      CheckedSchedule other = checked_cut_through(problem, *s.other, diagnostics, judge);
      if (is_better(choice.objective, *s.other, s.made)) {
        out.made = std::move(other);
        s.made = std::move(*s.other);
      }
    }
  }
  out.set_time(problem, s.made.total, most_on_a_link(s.made.moves));
  out.method = s.made.method;
  out.stopped = s.stopped;
  out.made.schedule.meta = meta_of(problem, choice, out);
  return out;
}

}  // namespace convert
