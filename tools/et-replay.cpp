// SPDX-License-Identifier: MIT
// et-replay: simulate execution traces on a network.
#include "common/source.h"
#include "common/tool.h"
#include "config/network.h"
#include "formats/chrome.h"
#include "io/output.h"
#include "load/sink.h"
#include "load/source.h"
#include "simulate/replay.h"
#include "simulate/report.h"
#include "util/log.h"

namespace {

struct Options {
  tools::InputOptions input;
  std::optional<std::string> network;
  std::string model = "unaware";
  std::optional<std::string> issue;
  std::optional<std::int64_t> size;
  std::optional<std::int64_t> until;  // ps
  std::string format = "table";
  std::optional<std::string> output;
  std::optional<std::string> timeline;
};

std::string text_of(const convert::ReplayResult& result, const std::string& format) {
  std::string out;
  if (format == "json") {
    append_json(result, out);
  } else if (format == "csv") {
    append_csv(result, out);
  } else {
    append_text(result, out);
  }
  return out;
}

// Both or neither.
void write_results(const convert::ReplayResult& result, const Options& o) {
  convert::OutputFiles files;
  const auto out = open_output(files, o.output);
  if (o.timeline) {
    const auto timeline = open_output(files, o.timeline);
    write_chrome(result.timeline, *timeline);
    timeline->close();
  }
  out->write(text_of(result, o.format));
  out->close();
  files.commit();
}

void report_waits(const convert::ReplayResult& result, const std::string& file, tools::Context& context) {
  const convert::WaitReport& waits = result.waits;
  const bool deadlock = result.status == convert::ReplayStatus::deadlock;
  context.diagnostics.error(
      {.file = file}, deadlock ? "deadlock" : "pairs",
      deadlock ? "deadlock: " + std::to_string(waits.waiting_total) + " nodes never run to their end"
               : std::to_string(waits.unmatched_total) + " messages are never received",
      describe(waits, static_cast<std::size_t>(context.common.max_errors)));
  context.report();
}

convert::ReplayOptions replay_options(const Options& o, const convert::Trace& first) {
  convert::ReplayOptions options;
  options.model = o.model == "aware" ? convert::NetworkModel::aware : convert::NetworkModel::unaware;
  options.issue = convert::default_issue_mode(first);
  if (o.issue)
    options.issue = *o.issue == "algorithm" ? convert::IssueMode::algorithm : convert::IssueMode::workload;
  options.size_bytes = o.size;
  options.until = o.until;
  options.timeline = o.timeline.has_value();
  return options;
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
                   {"et-replay -n ring8.yml --network aware --timeline run.json ring8",
                    "with contention; open run.json in ui.perfetto.dev"}},
  };
  const auto setup = [&](tools::App& app) {
    tools::add_input_options(app, o.input);
    app.group("Simulation");
    app.add_option("-n,--network-file", o.network, "FILE|ideal|SPEC",
                   "ASTRA-sim network.yml, or such as ring:8,bw=50GB/s,lat=500ns");
    app.add_choice("--network", o.model, {"unaware", "aware"}, "network model: without or with contention");
    app.add_choice("--issue", o.issue, {"algorithm", "workload"},
                   "all free nodes at once, or one per resource (default: by the trace)");
    app.add_bytes("--size", o.size, "BYTES", "size of the collective, for traces without sizes");
    app.add_time("--until", o.until, "TIME", "stop at this simulated time, such as 1.5us");
    app.group("Output");
    app.add_option("-o,--output", o.output, "PATH", "file for the result (default: stdout)");
    app.add_choice("--format", o.format, {"table", "csv", "json"}, "form of the result");
    app.add_option("--timeline", o.timeline, "PATH", "also write a Chrome trace, for ui.perfetto.dev");
  };
  return tools::run_tool(argc, argv, info, setup, [&](tools::Context& context) {
    if (!o.network)
      throw usage_error("no network; give -n FILE, -n ideal or such as -n ring:8,bw=50GB/s,lat=500ns");
    if (o.timeline == "-" && (!o.output || *o.output == "-"))
      throw usage_error("--timeline - takes standard output; give the result a file with -o");
    const NetworkConfig network = load_network(*o.network);
    if (!is_short_network(*o.network))
      log_info(*o.network + ": GB/s are GiB/s (2^30 bytes), as ASTRA-sim reads them");
    TraceSource source(tools::source_options(o.input, context), context.diagnostics);
    if (!source.prepare(false) || context.failed()) return 1;
    if (!source.whole_set()) {
      throw Error(Error::Kind::input, {.file = o.input.operands.front()},
                  "one rank by itself cannot be replayed; name the whole set: " + source.base_name());
    }
    std::optional<ReplayBuilder> builder;
    source.for_each_trace(context.jobs(), [&](Trace&& trace) {
      if (!builder) builder.emplace(network, replay_options(o, trace), context.diagnostics);
      builder->add(trace);
    });
    std::optional<ReplayProgram> program = builder->finish();
    if (!program || context.failed()) return 1;
    log_info("model " + std::string(name(program->options.model)) + ", issue " +
             std::string(name(program->options.issue)) + ", " + std::to_string(program->ranks.size()) + " NPUs");
    const ReplayResult result = replay(*program);

    if (result.status == ReplayStatus::deadlock || result.status == ReplayStatus::unmatched) {
      report_waits(result, source.base_name(), context);
    }
    write_results(result, o);
    return 0;
  });
}
