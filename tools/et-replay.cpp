// SPDX-License-Identifier: MIT
// et-replay: simulate execution traces on a network.
#include <functional>
#include <vector>

#include "common/node_names.h"
#include "common/source.h"
#include "common/tool.h"
#include "core/units.h"
#include "mpi/team.h"
#include "replay/options.h"
#include "replay/output.h"
#include "replay/recorded.h"
#include "replay/sweep.h"
#include "scenario/inputs.h"
#include "sets/schedules.h"
#include "sets/source.h"
#include "simulate/engine/replay.h"
#include "util/log.h"

namespace {

struct Options {
  tools::ReplayInputOptions replay;
  tools::SweepOptions sweep;
  tools::ReplayOutputOptions output;
};

std::string summary(const convert::ReplayProgram& program) {
  const bool recorded = program.options.recorded != convert::Recorded::nothing;
  std::string text = "model " + (recorded ? "recorded" : std::string(name(program.options.network.model))) +
                     ", compat " + (program.options.astra ? "astra" : "none") + ", issue " +
                     std::string(name(program.options.issue)) + ", " +
                     convert::counted(program.ranks.size(), "NPU");
  if (!program.plans.empty()) text += ", system " + program.options.system->config.source;
  return text;
}

// The input as it was given.
std::string input_name(const tools::InputOptions& input, const convert::TraceSource& source) {
  const std::vector<std::string> operands = inputs(input);
  if (operands.size() > 1) return source.base_name();
  return operands.front() == "-" ? "<stdin>" : operands.front();
}

void report_waits(convert::ReplayResult& result, const Options& o, const std::string& file,
                  tools::Context& context) {
  convert::WaitReport& waits = result.waits;
  look_up_names(o.replay.input, context, static_cast<std::size_t>(context.common.max_errors), waits.blocked);
  const bool deadlock = result.status == convert::ReplayStatus::deadlock;
  context.diagnostics.error(
      {.file = file}, deadlock ? "deadlock" : "pairs",
      deadlock ? "deadlock: " + std::to_string(waits.waiting_total) +
                     (waits.waiting_total == 1 ? " node never runs to its end" : " nodes never run to their end")
               : convert::counted(waits.unmatched_total, "message") +
                     (waits.unmatched_total == 1 ? " is never received" : " are never received"),
      describe(waits, static_cast<std::size_t>(context.common.max_errors)));
  context.report();
}

// Where there is no result of ASTRA-sim that this one could be compared with, says why.
void tell_gaps(const convert::ReplayResult& result) {
  if (result.status == convert::ReplayStatus::deadlock) return;
  for (const convert::AstraGap gap : result.gaps.list())
    convert::log_note(std::string(convert::astra_gap_text) + std::string(cause(gap)));
}

// The exit status. `program`: if there is one.
int write_result(convert::ReplayResult& result, const Options& o, const convert::TraceSource& source,
                 const convert::ReplayProgram* program, tools::Context& context,
                 const std::function<convert::Schedule()>& schedule = {}) {
  using convert::ReplayStatus;
  const std::string input = input_name(o.replay.input, source);
  if (result.status == ReplayStatus::deadlock || result.status == ReplayStatus::unmatched)
    report_waits(result, o, input, context);
  if (o.output.explain && !result.explanation) {
    if (context.failed()) return 1;
    throw convert::input_error({.file = input}, *o.output.explain == "end"
                                                    ? "the replay has not ended at --until"
                                                    : "node " + *o.output.explain + " has not started at --until");
  }
  if (result.worst_port)
    context.diagnostics.warning({}, "ports", port_text(*result.worst_port) + "; --network links queues them");
  if (!o.output.to) {
    write_replay(result, o.output, context.common.verbose > 0, program);
    return 0;
  }
  if (context.failed()) return 1;
  const convert::Schedule made = schedule();
  if (context.failed()) return 1;
  write_replay(result, o.output, false, program, &made);
  return 0;
}

// Each rank by itself, as recorded.
int replay_ranks(const Options& o, tools::Context& context) {
  convert::SourceOptions input = tools::source_options(o.replay.input, context);
  input.any_ranks = true;
  convert::TraceSource source(std::move(input), context.diagnostics);
  if (!source.prepare(false) || context.failed()) return 1;
  convert::ReplayOptions options = tools::replay_options(o.replay);
  set_replay_output(o.output, {}, options);
  auto result = replay_recorded(source, options, context.jobs(), context.diagnostics);
  if (!result || context.failed()) return 1;
  tools::check_no_input(tools::output_files(o.output, 0),
                        tools::files_of(o.replay.input.operands, source.inputs()));
  convert::log_info("as recorded, " + convert::counted(result->npus.size(), "NPU"));
  return write_result(*result, o, source, nullptr, context);
}

int replay_set(const Options& o, tools::Context& context) {
  using namespace convert;
  const NetworkConfig network = find_network(*o.replay.network);
  tools::note_missing_latency(*o.replay.network);
  if (network.ideal && o.output.report == "links") throw usage_error("an ideal network has no links to report");
  if (o.output.to && o.replay.network_model() != NetworkModel::wires) {
    throw usage_error("-t " + *o.output.to + " wants --network links: the others know no links, or no exact times");
  }
  TraceSource source(tools::source_options(o.replay.input, context), context.diagnostics);
  if (!source.prepare(false) || context.failed()) return 1;
  if (!source.whole_set()) {
    throw Error(Error::Kind::input, {.file = o.replay.input.operands.front()},
                "one rank by itself cannot be replayed; name the whole set: " + source.base_name());
  }
  ReplayOptions options = tools::replay_options(o.replay);
  const auto system = load_system(tools::system_inputs(o.replay), network);
  if (!o.replay.groups && !o.replay.no_groups) add_groups(*system, source.groups(), network);
  for (const std::string& note : system->config.notes) log_info(note);
  set_replay_output(o.output, system->config, options);
  check_system_choices(*system, options.astra, options.network.model);
  if (o.replay.compute) system->config.roofline = false;
  options.system = system;
  // A schedule is made of the traces themselves.
  const std::vector<Trace> traces = o.output.to ? source.load(context.jobs()) : std::vector<Trace>();
  const std::optional<ReplayProgram> program =
      o.output.to ? load_program(traces, network, options, !o.replay.issue, context.jobs(), context.diagnostics)
                  : load_program(source, network, options, !o.replay.issue, context.jobs(), context.diagnostics);
  if (!program || context.failed()) return 1;
  if (const auto files = tools::output_files(o.output, program->ranks.size()); !files.empty())
    tools::check_no_input(files, tools::input_files(o.replay, *system, source.inputs()));
  log_info(summary(*program));
  ReplayResult result = replay(*program);
  if (o.output.format != "astra") result.kinds = collective_kinds(*program);
  tell_gaps(result);
  return write_result(result, o, source, &*program, context, [&] {
    return schedule_of_replay(
        traces, result.timeline, network,
        options.network.occupancy == Occupancy::beta ? Schedule::Occupancy::beta : Schedule::Occupancy::alpha_beta,
        source.base_name(), context.diagnostics);
  });
}

}  // namespace

int main(int argc, char** argv) {
  using namespace convert;
  Options o;
  const tools::ToolInfo info{
      .name = "et-replay",
      .summary = "simulate execution traces on a network",
      .operands = "[INPUT...]",
      .examples = {{"et-replay -n ring8.yml ring8", "when each NPU ends"},
                   {"et-convert ring8.xml | et-replay --size 1MiB -n ring:8,bw=50GB/s,lat=500ns",
                    "an algorithm without sizes, a network in short form"},
                   {"et-replay --workload-configuration w --system-configuration s.json \\\n"
                    "      --network-configuration n.yml --remote-memory-configuration m.json",
                    "as ASTRA-sim's analytical backends are called; the same cycles"},
                   {"et-replay -n ring8.yml --network aware --timeline run.json ring8",
                    "with contention; open run.json in ui.perfetto.dev"},
                   {"et-replay -n ring8.yml --explain end ring8", "its critical path, back to time 0"},
                   {"et-replay -n ring8.yml --network links --occupancy alpha-beta \\\n"
                    "      -t ten --size 8MiB ring8.xml -o ring8.ten.json",
                    "an algorithm as a schedule: which chunk is on which link when"},
                   {"et-replay --compute recorded --comm recorded llama",
                    "what was measured, each rank by itself"}},
  };
  const auto setup = [&](tools::App& app) {
    tools::add_replay_options(app, o.replay);
    tools::add_sweep_options(app, o.sweep);
    tools::add_replay_output_options(app, o.output);
  };
  return tools::run_tool(argc, argv, info, setup, [&](tools::Context& context) {
    const bool sweep = o.sweep.wanted();
    tools::check_sweep_options(o.sweep);
    tools::check_recorded_options(o.replay, o.output, sweep);
    tools::check_replay_output(o.output, sweep, o.replay.network_model() != NetworkModel::unaware);
    if (sweep) return tools::run_sweep(o.sweep, o.replay, o.output.output, context, tools::join_team());
    tools::check_replay_options(o.replay);
    return o.replay.all_recorded() ? replay_ranks(o, context) : replay_set(o, context);
  });
}
