// SPDX-License-Identifier: MIT
// Writes what et-replay finds: a report, an explanation, a timeline, the use of memory.
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
  std::string show = "npus";
  std::optional<std::string> to;  // "ten,form=csv" instead of the report, or a form of runs
  std::optional<std::string> output;
  std::optional<std::string> timeline;
  std::optional<std::string> explain;
  bool what_if = false;
  bool track_memory = false;
  std::optional<std::string> memory_trace;
  bool print_network = false;  // in place of a replay
};

// Returns the form of a run in which -o is written; nothing if that is a report or a schedule.
[[nodiscard]] std::optional<RunForm> run_form(const ReplayOutputOptions& o);
// Returns whether -o is a schedule.
[[nodiscard]] bool is_schedule(const ReplayOutputOptions& o);

void add_replay_output_options(App& app, ReplayOutputOptions& to);
// Throw Error(usage) for options that do not go together, or not with what is replayed.
void check_replay_output(const ReplayOutputOptions& o, bool sweep);
void check_replay_output(const ReplayOutputOptions& o, const convert::Scenario& scenario);
// Returns all files that the replay of so many ranks writes.
[[nodiscard]] std::vector<std::string> output_files(const ReplayOutputOptions& o, std::size_t ranks);
// Throws Error(usage) if an output would take the place of an input.
void refuse_inputs_as_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);
// Notes what was noticed when the network was read. Where it is asked for, writes it in place of a replay, as the
// settings have made it, as a list of links, and returns true. Throws Error(usage) if it has none, or more than a
// list may have.
[[nodiscard]] bool wrote_network(const convert::Scenario& scenario, const ReplayOutputOptions& o);
// Sets what the replay has to find for the outputs.
void set_replay_output(const ReplayOutputOptions& o, convert::ReplayOptions& options);
// Reports what waits, if something does, and messages that exceed a port; returns whether there is something to
// write. `name` is that of the input. Throws Error(input) if what should be explained has not happened.
[[nodiscard]] bool report_result(convert::ReplayResult& result, const ReplayOutputOptions& o,
                                 const InputOptions& input, const std::string& name, Context& context);
// Adds what reports need to the result and writes all files, or none. With `all` a table lists everything, however
// long it gets. `schedule` is for -t ten; of a run `about` tells title, settings and inputs.
void write_replay(convert::ReplayResult& result, const ReplayOutputOptions& o, bool all,
                  const convert::LoadedReplay& replay, const std::optional<convert::Schedule>& schedule,
                  const convert::Run& about);

}  // namespace tools
