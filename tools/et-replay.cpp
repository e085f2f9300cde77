// SPDX-License-Identifier: MIT
// et-replay: simulate execution traces on a network.
#include "common/replay.h"
#include "common/source.h"
#include "common/sweep.h"
#include "common/tool.h"
#include "config/network.h"
#include "formats/chrome.h"
#include "io/output.h"
#include "load/sink.h"
#include "load/source.h"
#include "mpi/team.h"
#include "scenario/inputs.h"
#include "simulate/memory_trace.h"
#include "simulate/replay.h"
#include "simulate/report.h"
#include "util/log.h"

namespace {

struct Options {
  tools::ReplayInputOptions replay;
  tools::SweepOptions sweep;
  std::string format = "table";
  std::string report = "npus";
  std::optional<std::string> output;
  std::optional<std::string> timeline;
  std::optional<std::string> explain;
  bool track_memory = false;
  std::optional<std::string> memory_trace;
};

convert::ReportPart part_of(const std::string& report) {
  if (report == "collectives") return convert::ReportPart::collectives;
  return report == "links" ? convert::ReportPart::links : convert::ReportPart::npus;
}

// "3:17" or "end"
convert::ExplainTarget explain_target(const std::string& text) {
  if (text == "end") return {.end = true};
  const std::size_t colon = text.find(':');
  const auto rank = convert::parse_int(text.substr(0, colon));
  const auto node = colon == std::string::npos ? std::nullopt : convert::parse_int(text.substr(colon + 1));
  if (!rank || !node || *rank < 0 || *rank >= convert::max_npus || *node < 0)
    throw convert::usage_error("--explain: '" + text + "' is neither RANK:NODE, such as 3:17, nor end");
  return {.rank = static_cast<convert::Rank>(*rank), .node = static_cast<convert::NodeId>(*node)};
}

void check_explain(const Options& o) {
  if (!o.explain) return;
  (void)explain_target(*o.explain);
  const char* other = o.sweep.wanted()      ? "a sweep"
                      : o.timeline          ? "--timeline"
                      : o.report != "npus"  ? "--report"
                      : o.format == "astra" ? "--format astra"
                                            : nullptr;
  if (other != nullptr) throw convert::usage_error(std::string("--explain does not go together with ") + other);
}

void check_report(const Options& o) {
  check_explain(o);
  if (o.report == "npus") return;
  if (o.sweep.wanted()) throw convert::usage_error("--report is for a single replay, not for a sweep");
  if (o.format == "astra") throw convert::usage_error("--format astra has no --report " + o.report);
  if (o.report == "links" && o.replay.model.value_or("unaware") == "unaware")
    throw convert::usage_error("network unaware has no links to report; choose --network aware or links");
}

void check_output(const Options& o) {
  using convert::usage_error;
  if (o.sweep.wanted()) {
    if (o.timeline) throw usage_error("--timeline is for a single replay, not for a sweep");
    if (o.track_memory || o.memory_trace)
      throw usage_error("--track-memory and --memory-trace are for a single replay, not for a sweep");
    if (o.format != "table" && o.format != "csv") throw usage_error("the table of a sweep is CSV");
  }
  if (o.timeline == "-" && (!o.output || *o.output == "-"))
    throw usage_error("--timeline - takes standard output; give the result a file with -o");
  if (o.memory_trace == "-") throw usage_error("--memory-trace writes a file for each rank; give it a PREFIX");
}

std::string text_of(const convert::ReplayResult& result, const Options& o, bool all) {
  std::string out;
  if (o.explain) {
    constexpr std::size_t max_steps = 40;
    if (o.format == "json") {
      append_json(*result.explanation, out);
    } else if (o.format == "csv") {
      append_csv(*result.explanation, out);
    } else {
      append_text(*result.explanation, out, all ? 0 : max_steps);
    }
    return out;
  }
  const convert::ReportOptions options{.part = part_of(o.report), .all = all};
  if (o.format == "json") {
    append_json(result, out, options);
  } else if (o.format == "astra") {
    append_astra(result, out);
  } else if (o.format == "csv") {
    append_csv(result, out, options);
  } else {
    append_text(result, out, options);
  }
  return out;
}

convert::MemoryTracking memory_tracking(const Options& o, const convert::SystemConfig& system) {
  if (o.memory_trace) return convert::MemoryTracking::trace;
  return o.track_memory || system.track_local_mem ? convert::MemoryTracking::peaks : convert::MemoryTracking::off;
}

std::string summary(const convert::ReplayProgram& program) {
  std::string text = "model " + std::string(name(program.options.network.model)) + ", compat " +
                     (program.options.astra ? "astra" : "none") + ", issue " +
                     std::string(name(program.options.issue)) + ", " + std::to_string(program.ranks.size()) +
                     " NPUs";
  if (!program.plans.empty()) text += ", system " + program.options.system->config.source;
  return text;
}

// All or none.
void write_results(const convert::ReplayProgram& program, const convert::ReplayResult& result, const Options& o,
                   bool all) {
  convert::OutputFiles files;
  const auto out = open_output(files, o.output);
  if (o.timeline) {
    const auto timeline = open_output(files, o.timeline);
    write_chrome(result.timeline, *timeline);
    timeline->close();
  }
  for (convert::Rank r = 0; o.memory_trace && r < result.npus.size(); ++r) {
    const auto trace = files.create(*o.memory_trace + "." + std::to_string(r) + ".json");
    write_memory_trace(program, result, r, [&](std::string_view text) { trace->write(text); });
    trace->close();
  }
  out->write(text_of(result, o, all));
  out->close();
  files.commit();
}

void report_waits(const convert::ReplayResult& result, const std::string& file, tools::Context& context) {
  const convert::WaitReport& waits = result.waits;
  const bool deadlock = result.status == convert::ReplayStatus::deadlock;
  context.diagnostics.error(
      {.file = file}, deadlock ? "deadlock" : "pairs",
      deadlock ? "deadlock: " + std::to_string(waits.waiting_total) +
                     (waits.waiting_total == 1 ? " node never runs to its end" : " nodes never run to their end")
               : std::to_string(waits.unmatched_total) + " messages are never received",
      describe(waits, static_cast<std::size_t>(context.common.max_errors)));
  context.report();
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
                   {"et-replay -n ring8.yml --explain end ring8", "its critical path, back to time 0"}},
  };
  const auto setup = [&](tools::App& app) {
    tools::add_replay_options(app, o.replay);
    tools::add_sweep_options(app, o.sweep);
    app.group("Output");
    app.add_option("-o,--output", o.output, "PATH", "file for the result (default: stdout)");
    app.add_choice("--format", o.format, {"table", "csv", "json", "astra"}, "form of the result");
    app.add_choice("--report", o.report, {"npus", "collectives", "links"},
                   "what table and csv list; json adds links");
    app.add_option("--explain", o.explain, "RANK:NODE|end",
                   "in place of the report: why the node started when it did, or the replay took so long");
    app.add_option("--timeline", o.timeline, "PATH", "also write a Chrome trace, for ui.perfetto.dev");
    app.add_flag("--track-memory", o.track_memory,
                 "report the peak of local memory, by the inputs and outputs of nodes");
    app.add_option("--memory-trace", o.memory_trace, "PREFIX",
                   "also write PREFIX.RANK.json: local memory over time, for ui.perfetto.dev");
  };
  return tools::run_tool(argc, argv, info, setup, [&](tools::Context& context) {
    tools::check_sweep_options(o.sweep);
    check_report(o);
    check_output(o);
    if (o.sweep.wanted()) {
      return tools::run_sweep(o.sweep, o.replay, o.output, context, tools::join_team());
    }
    tools::check_replay_options(o.replay);
    const NetworkConfig network = load_network(*o.replay.network);
    TraceSource source(tools::source_options(o.replay.input, context), context.diagnostics);
    if (!source.prepare(false) || context.failed()) return 1;
    if (!source.whole_set()) {
      throw Error(Error::Kind::input, {.file = o.replay.input.operands.front()},
                  "one rank by itself cannot be replayed; name the whole set: " + source.base_name());
    }
    ReplayOptions options = tools::replay_options(o.replay);
    options.timeline = o.timeline.has_value();
    if (o.explain) options.explain = explain_target(*o.explain);
    options.bounds = o.format != "astra";
    // The bottleneck is a line of the other reports.
    options.network.count_links = o.report != "npus" && options.network.model != NetworkModel::unaware;
    const auto system = load_system(tools::system_inputs(o.replay), network);
    if (!o.replay.groups && !o.replay.no_groups) add_groups(*system, source.groups(), network);
    options.memory = memory_tracking(o, system->config);
    for (const std::string& note : system->config.notes) log_info(note);
    if (system->config.track_local_mem && !o.memory_trace) {
      log_info("track-local-mem writes no files by itself; --memory-trace " + system->config.local_mem_trace +
               " does");
    }
    check_system_choices(*system, options.astra, options.network.model);
    options.system = system;
    const std::optional<ReplayProgram> program =
        load_program(source, network, options, !o.replay.issue, context.jobs(), context.diagnostics);
    if (!program || context.failed()) return 1;
    log_info(summary(*program));
    const ReplayResult result = replay(*program);

    if (result.status == ReplayStatus::deadlock || result.status == ReplayStatus::unmatched) {
      report_waits(result, source.base_name(), context);
    }
    if (o.explain && !result.explanation) {
      if (!context.failed())
        throw Error(Error::Kind::input, {.file = source.base_name()},
                    o.explain == "end" ? "the replay has not ended at --until"
                                       : "node " + *o.explain + " has not started at --until");
      return 1;
    }
    write_results(*program, result, o, context.common.verbose > 0);
    return 0;
  });
}
