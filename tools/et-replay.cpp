// SPDX-License-Identifier: MIT
// et-replay: simulates execution traces on a network.
#include <optional>
#include <utility>
#include <vector>

#include "common/source.h"
#include "common/tool.h"
#include "core/units.h"
#include "mpi/team.h"
#include "programs.h"
#include "replay/about.h"
#include "replay/options.h"
#include "replay/output.h"
#include "replay/schedule.h"
#include "replay/sweep.h"
#include "scenario/scenario.h"
#include "sets/source.h"
#include "simulate/engine/replay.h"
#include "util/log.h"

namespace {

using namespace convert;

struct ReplayArguments {
  tools::ReplayInputOptions replay;
  tools::SweepOptions sweep;
  tools::ReplayOutputOptions output;
};

std::string summary(const LoadedReplay& loaded) {
  if (loaded.recorded) return "as recorded, " + counted(loaded.recorded->npus.size(), "NPU");
  const ReplayProgram& program = *loaded.program;
  const bool recorded = program.options.recorded != Recorded::nothing;
  std::string text = "model " + (recorded ? "recorded" : std::string(name(program.options.network.model))) +
                     ", compat " + (program.options.astra ? "astra" : "none") + ", issue " +
                     std::string(name(program.options.issue)) + ", " + counted(program.ranks.size(), "NPU");
  if (!program.plans.empty()) text += ", system " + program.options.system->config.source;
  return text;
}

// Returns the exit status.
int replay(const tools::ReplayCommand& command, const tools::ReplayOutputOptions& output, tools::Context& context) {
  const RunSettings settings = replay_settings(command);
  if (settings.network) tools::note_missing_latency({{*settings.network}});
  Scenario scenario = make_scenario(settings);
  if (tools::wrote_network(scenario, output)) return 0;
  check_replay_output(output, scenario);
  SourceOptions input = source_options(command.input, context);
  input.any_ranks = scenario.by_rank();
  TraceSource source(std::move(input), context.diagnostics);
  if (!prepare(source, scenario.options.recorded == Recorded::nothing, *settings.workload) || context.failed())
    return 1;
  add_groups(scenario, source.groups());
  for (const std::string& note : scenario.options.system->config.notes) log_info(note);
  check_scenario(scenario);
  set_replay_output(output, scenario.options);
  // A schedule is made from the traces themselves.
  const bool scheduled = is_schedule(output);
  const std::vector<Trace> traces = scheduled ? source.load(context.jobs()) : std::vector<Trace>();
  LoadedReplay loaded = scheduled ? load_replay(traces, scenario, context.jobs(), context.diagnostics)
                                  : load_replay(source, scenario, context.jobs(), context.diagnostics);
  if (!loaded || context.failed()) return 1;
  std::vector<std::string> files = scenario_files(settings, scenario);
  for (std::string& file : tools::operand_files(command.input.operands, source.inputs()))
    files.push_back(std::move(file));
  tools::refuse_inputs_as_outputs(output_files(output, loaded.program ? loaded.program->ranks.size() : 0), files);
  log_info(summary(loaded));
  if (loaded.program && loaded.program->network.machine != nullptr && context.common.verbose > 0)
    log_info(tools::sources_of_calls(*loaded.program));
  ReplayResult result = loaded.recorded ? std::move(*loaded.recorded) : replay(*loaded.program);
  describe_algorithm(source, scenario, result);
  const std::string name = tools::inputs(command.input).size() > 1 ? source.base_name() : *settings.workload;
  if (!report_result(result, output, command.input, name, context)) return 1;
  std::optional<Schedule> schedule;
  if (scheduled) schedule = tools::schedule_of_run(traces, result, scenario, source.base_name(), context);
  if (scheduled && context.failed()) return 1;
  write_replay(result, output, context.common.verbose > 0, loaded, schedule,
               run_form(output) ? tools::about_run(name, scenario, files, source, result, context) : Run());
  return 0;
}

}  // namespace

int tools::et_replay(int argc, char** argv) {
  ReplayArguments o;
  const tools::ToolInfo info{
      .name = "et-replay",
      .operands = "[INPUT...]",
      .examples = {{"et-replay -n ring8.yml ring8", "the end of each NPU"},
                   {"et-convert ring8.xml | et-replay --size 1MiB -n ring:8,bw=50GB/s,lat=500ns",
                    "an algorithm without sizes, a network in short form"},
                   {"et-replay --workload-configuration w --system-configuration s.json \\\n"
                    "      --network-configuration n.yml --remote-memory-configuration m.json",
                    "the command line of ASTRA-sim's analytical backends; same cycles"},
                   {"et-replay -n ring8.yml --model aware --timeline run.json ring8",
                    "with contention; open run.json in ui.perfetto.dev"},
                   {"et-replay -n ring8.yml --explain end ring8", "its critical path, back to time 0"},
                   {"et-replay -n ring8.yml --occupancy alpha-beta \\\n"
                    "      -t ten --size 8MiB ring8.xml -o ring8.ten.json",
                    "an algorithm as a schedule: which chunk is on which link when"},
                   {"et-replay --compute recorded --comm recorded llama",
                    "the measured times, each rank on its own"}},
  };
  const auto setup = [&](tools::App& app) {
    tools::add_replay_options(app, o.replay);
    tools::add_sweep_options(app, o.sweep);
    tools::add_replay_output_options(app, o.output);
  };
  return tools::run_tool(argc, argv, info, setup, [&](tools::Context& context) {
    if (o.output.list_machines) return tools::print_machines(context);
    const bool sweep = o.sweep.wanted();
    check_sweep_options(o.sweep);
    check_replay_output(o.output, sweep);
    const tools::ReplayCommand command = read_command(o.replay);
    return sweep ? run_sweep(o.sweep, command, o.output.output, context, tools::join_team())
                 : replay(command, o.output, context);
  });
}
