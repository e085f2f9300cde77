// SPDX-License-Identifier: MIT
#include "sets/runs.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analyze/recorded/run.h"
#include "analyze/recorded/set.h"
#include "core/run/group_names.h"
#include "io/set_path.h"
#include "io/sha256.h"
#include "sets/classes/times.h"

namespace convert {
namespace {

struct Operand {
  bool rank = false;     // a single rank, which neighbouring operands complete
  bool profile = false;  // format that may state the rank
  std::optional<Rank> told{};
};
Operand look_at(SourceOptions options, const std::string& operand) {
  Diagnostics unheard;
  options.operands = {operand};
  options.progress = false;
  TraceSource source(std::move(options), unheard);
  if (source.holds_run()) return {};
  const bool profile = source.format().told_rank != nullptr;
  const std::optional<Rank> told = source.told_rank();
  return {!source.whole_set(), profile, told};
}

std::string hash_of(const std::string& file) {
  HashedInput input(open_input(file));
  std::array<char, 1 << 16> bytes{};
  while (input.read(bytes.data(), bytes.size()) != 0) continue;
  return input.hex();
}

// Returns whether files of ranks that can be read twice have no times; reads them up to the first time.
bool files_lack_times(const TraceSource& source, SourceOptions options) {
  if (source.format().linked || source.inputs().files().size() < 2) return false;
  Diagnostics unheard;
  options.progress = false;
  TraceSource again(std::move(options), unheard);
  for (std::size_t i = 0; i < again.independent_ranks(); ++i) {
    const auto reader = again.open_rank(i);
    Trace trace;
    (void)reader->next_rank(trace);
    while (reader->next_nodes(trace, batch_nodes)) {
      if (states_times(trace)) return false;
    }
  }
  return true;
}

// Throws Error(input) if the set has no times, before all ranks are read into memory.
void require_times(const TraceSource& source, const SourceOptions& options) {
  const MasterSet* const classes = source.master();
  const bool none =
      classes != nullptr ? !may_state_times(*classes, source.base_name()) : files_lack_times(source, options);
  if (none) throw no_recorded_times(source.base_name());
}

// Returns the run whose times the traces record.
Run record(TraceSource& source, const SourceOptions& options, unsigned jobs, Diagnostics& diagnostics) {
  const std::string name = source.base_name();
  if (source.algorithm() != nullptr)
    throw input_error({.file = name}, "is an algorithm, which has no times; simulate it with et-replay -o x.run");
  require_times(source, options);
  const std::vector<Trace> traces = source.load(jobs);
  Run run = recorded_run(traces, name, diagnostics);
  run.title = name;
  add_group_names(source.group_names(), run);
  return run;
}

Run load_operands(const SourceOptions& options, std::vector<std::string> operands, unsigned jobs,
                  Diagnostics& diagnostics) {
  SourceOptions own = options;
  own.operands = operands;
  TraceSource source(own, diagnostics);
  if (source.holds_run()) return source.read_run();
  Run run = record(source, own, jobs, diagnostics);
  if (options.hash) {
    for (const InputSet::File& file : source.inputs().files()) operands.push_back(file.path);
    run.inputs = hashes_of(operands);
  }
  if (run.inputs.empty()) run.inputs.push_back({run.title, ""});
  return run;
}

}  // namespace

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
    throw usage_error("standard input cannot be combined with other inputs; pass the runs as files");
  std::vector<std::string> ranks;
  std::set<std::optional<Rank>> told;  // ranks stated by profiles in `ranks`
  const auto end_set = [&] {
    told.clear();
    if (!ranks.empty()) runs.push_back(load_operands(all, std::exchange(ranks, {}), jobs, diagnostics));
  };
  for (const std::string& operand : operands) {
    const Operand o = look_at(all, operand);
    if (o.rank) {
      if (o.profile && told.contains(o.told)) end_set();
      if (o.profile) told.insert(o.told);
      ranks.push_back(operand);
      continue;
    }
    end_set();
    runs.push_back(load_operands(all, {operand}, jobs, diagnostics));
  }
  end_set();
  return runs;
}

std::vector<Run::Setting> hashes_of(const std::vector<std::string>& files) {
  std::vector<Run::Setting> hashes;
  std::set<std::string> known;
  for (const std::string& file : files) {
    struct stat s {};
    if (!known.insert(file).second) continue;
    if (file == "-") {
      hashes.push_back({"stdin", {}});
    } else if (stat(file.c_str(), &s) == 0 && !S_ISDIR(s.st_mode)) {
      const bool regular = S_ISREG(s.st_mode) && s.st_size > 0;
      hashes.push_back({std::string(file_name_part(file)), regular ? hash_of(file) : std::string()});
    }
  }
  return hashes;
}

}  // namespace convert
