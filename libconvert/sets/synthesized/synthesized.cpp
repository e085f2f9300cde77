// SPDX-License-Identifier: MIT
#include "sets/synthesized/synthesized.h"

#include <array>
#include <cstdio>

#include "core/units.h"
#include "synthesis/bounds/report.h"
#include "util/json_writer.h"

namespace convert {
namespace {

std::string meta_of(const SynthesisProblem& problem, const SynthesisChoice& choice, const SynthesizedAlgorithm& s) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("producer", "et-generate").member("synthesis", s.summary()).member("method", s.method);
  json.key("bound_us").raw(format_exact(s.lower, ps_per_us)).member("seed", choice.seed);
  json.member("participants", problem.size()).end_object();
  return text;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string SynthesizedAlgorithm::summary() const {
  std::string text = bounds + "; " + format_time(total) + " found";
  if (lower > 0) {
    std::array<char, 32> ratio{};
    (void)std::snprintf(ratio.data(), ratio.size(), "%.3f",
                        static_cast<double>(total) / static_cast<double>(lower));
    text += std::string(", ") + ratio.data() + " of the bound";
  }
  return text + ", " + method;
}

SynthesizedAlgorithm synthesize_algorithm(const SynthesisProblem& problem, const SynthesisChoice& choice,
                                          Diagnostics& diagnostics) {
  const SynthesisResult s = synthesize(problem, choice);
  // Times are rounded to picoseconds, at each hop.
  if (s.made.total + static_cast<Picoseconds>(s.made.moves.links.size()) < s.bounds.lower)
    throw Error("the synthesized schedule is wrong: it takes " + format_time(s.made.total) +
                ", less than its bound, " + format_time(s.bounds.lower));
  SynthesizedAlgorithm out{.made = {},
                           .bounds = first_line(bounds_text(problem, s.bounds)),
                           .method = s.made.method,
                           .lower = s.bounds.lower,
                           .total = s.made.total,
                           .stopped = s.stopped};
  Schedule schedule = schedule_of(problem, s.made);
  schedule.name = std::string(name(problem.collective)) + "_synthesized";
  schedule.meta = meta_of(problem, choice, out);
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
