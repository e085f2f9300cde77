// SPDX-License-Identifier: MIT
#include "sets/runs.h"

#include <algorithm>
#include <string>
#include <utility>

#include "analyze/recorded/run.h"

namespace convert {
namespace {

// Returns whether an operand is a single rank, which the ones beside it complete.
bool is_rank(SourceOptions options, const std::string& operand) {
  Diagnostics unheard;
  options.operands = {operand};
  options.progress = false;
  TraceSource source(std::move(options), unheard);
  return !source.holds_run() && !source.whole_set();
}

Run load_operands(const SourceOptions& options, std::vector<std::string> operands, unsigned jobs,
                  Diagnostics& diagnostics) {
  SourceOptions own = options;
  own.operands = std::move(operands);
  TraceSource source(std::move(own), diagnostics);
  return load_run(source, jobs, diagnostics);
}

}  // namespace

Run load_run(TraceSource& source, unsigned jobs, Diagnostics& diagnostics) {
  if (source.holds_run()) return source.read_run();
  const std::string name = source.base_name();
  if (source.algorithm() != nullptr)
    throw input_error({.file = name}, "is an algorithm, which says no times: et-replay -o x.run simulates it");
  const std::vector<Trace> traces = source.load(jobs);
  Run run = recorded_run(traces, name, diagnostics);
  run.title = name;
  run.inputs.push_back({name, ""});
  return run;
}

std::vector<Run> load_runs(const SourceOptions& options, unsigned jobs, Diagnostics& diagnostics) {
  SourceOptions all = options;
  all.runs = true;
  all.any_ranks = true;
  const std::vector<std::string>& operands = options.operands;
  std::vector<Run> runs;
  if (operands.size() == 1) {
    runs.push_back(load_operands(all, operands, jobs, diagnostics));
    return runs;
  }
  if (std::ranges::find(operands, "-") != operands.end())
    throw usage_error("standard input is the only input of a timeline where it is one: give the runs as files");
  std::vector<std::string> ranks;
  const auto end_set = [&] {
    if (!ranks.empty()) runs.push_back(load_operands(all, std::exchange(ranks, {}), jobs, diagnostics));
  };
  for (const std::string& operand : operands) {
    if (is_rank(all, operand)) {
      ranks.push_back(operand);
      continue;
    }
    end_set();
    runs.push_back(load_operands(all, {operand}, jobs, diagnostics));
  }
  end_set();
  return runs;
}

}  // namespace convert
