// SPDX-License-Identifier: MIT
#include "sets/synthesized/synthesized.h"

#include <array>
#include <cstdio>

#include "core/units.h"
#include "synthesis/bounds/report.h"
#include "util/json_writer.h"

namespace convert {
namespace {

std::string ratio_text(const SynthesisResult& s) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.3f",
                      static_cast<double>(s.made.total) / static_cast<double>(s.bounds.lower));
  return text.data();
}

std::string summary_of(const SynthesisProblem& problem, const SynthesisResult& s) {
  std::string text = bounds_text(problem, s.bounds);
  text = text.substr(0, text.find('\n'));
  text += "; " + format_time(s.made.total) + " found";
  if (s.bounds.lower > 0) text += ", " + ratio_text(s) + " of the bound";
  return text + ", " + s.made.method;
}

std::string meta_of(const SynthesisProblem& problem, const SynthesisChoice& choice, const SynthesisResult& s,
                    const std::string& summary) {
  std::string text;
  JsonWriter json(text);
  json.begin_object()
      .member("producer", "et-generate")
      .member("synthesis", summary)
      .member("method", s.made.method);
  json.key("bound_us").raw(format_exact(s.bounds.lower, ps_per_us)).member("seed", choice.seed);
  json.member("participants", problem.size()).end_object();
  return text;
}

}  // namespace

SynthesizedAlgorithm synthesize_algorithm(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                          Diagnostics& diagnostics) {
  const SynthesisResult s = synthesize(problem, choice);
  SynthesizedAlgorithm out{.made = {}, .summary = summary_of(problem, s)};
  Schedule schedule = schedule_of(problem, s.made);
  schedule.name = std::string(name(problem.collective)) + "_synthesized";
  schedule.meta = meta_of(problem, choice, s, out.summary);
  // Nobody but the makers is to blame for what is wrong here, and links without use are no defect.
  Diagnostics findings;
  out.made = check_and_repair(std::move(schedule), {}, findings);
  for (const Diagnostic& d : findings.all()) {
    if (d.severity == Severity::error)
      throw Error("the synthesized schedule is wrong: " + d.message + " [" + d.rule + "]");
    if (d.message.find(" carr") == std::string::npos) diagnostics.add(d);
  }
  return out;
}

}  // namespace convert
