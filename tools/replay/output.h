// SPDX-License-Identifier: MIT
// Writes the results of et-replay: a report, an explanation, a timeline, the use of memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/run_output.h"
#include "common/tool.h"
#include "core/algorithm/schedule.h"
#include "scenario/scenario.h"
#include "simulate/engine/replay.h"

namespace tools {

struct ReplayOutputOptions {
  std::string format = "text";
  std::optional<std::string> show;  // see table()
  std::optional<std::string> to;    // "ten,form=csv" instead of the report, or a form of runs
  std::optional<std::string> output;
  std::optional<std::string> timeline;
  std::optional<std::string> explain;
  bool what_if = false;
  bool track_memory = false;
  std::optional<std::string> memory_trace;
  bool list_machines = false;
  bool print_network = false;  // instead of a replay

  [[nodiscard]] std::string table() const { return show.value_or("npus"); }
};

// Returns the form of the run that is written to -o; nothing if a report or a schedule is written.
[[nodiscard]] std::optional<RunForm> run_form(const ReplayOutputOptions& o);
// Returns whether -o is a schedule.
[[nodiscard]] bool is_schedule(const ReplayOutputOptions& o);

void add_replay_output_options(App& app, ReplayOutputOptions& to);
// Throw Error(usage) for options that cannot be combined, or that do not apply to the scenario.
void check_replay_output(const ReplayOutputOptions& o, bool sweep);
void check_replay_output(const ReplayOutputOptions& o, const convert::Scenario& scenario);
// Returns all files that the replay of `ranks` ranks writes.
[[nodiscard]] std::vector<std::string> output_files(const ReplayOutputOptions& o, std::size_t ranks);
// Throws Error(usage) if an output would replace an input.
void refuse_inputs_as_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);
// Writes the machines for -n, with -v also the sources of their figures. Returns the exit status.
[[nodiscard]] int print_machines(const Context& context);
// Prints the notes about the network. With --print-network, writes the network as a list of links, as the settings
// have changed it, and returns true. Throws Error(usage) if the network has no links, or more links than a list may
// have.
[[nodiscard]] bool wrote_network(const convert::Scenario& scenario, const ReplayOutputOptions& o);
// Sets what the replay must record for the outputs.
void set_replay_output(const ReplayOutputOptions& o, convert::ReplayOptions& options);
// Reports blocked nodes, and messages that exceed a port. Returns whether there is something to write. `name`: of
// the input. Throws Error(input) if the event to explain has not happened.
[[nodiscard]] bool report_result(convert::ReplayResult& result, const ReplayOutputOptions& o,
                                 const InputOptions& input, const std::string& name, Context& context);
// Adds the data of reports to the result and writes all files, or none. With `all`, tables list everything, however
// long. `schedule`: for -t ten. `about`: title, settings and inputs of a run.
void write_replay(convert::ReplayResult& result, const ReplayOutputOptions& o, bool all,
                  const convert::LoadedReplay& replay, const std::optional<convert::Schedule>& schedule,
                  const convert::Run& about);

}  // namespace tools
