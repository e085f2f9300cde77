// SPDX-License-Identifier: MIT
#include "replay/output.h"

#include <sys/stat.h>

#include <set>
#include <utility>

#include "analyze/findings.h"
#include "common/form.h"
#include "common/node_names.h"
#include "common/option_texts.h"
#include "config/network/wire_list.h"
#include "core/run/group_names.h"
#include "formats/format.h"
#include "formats/timeline/chrome.h"
#include "io/output.h"
#include "machine/chosen.h"
#include "sets/sink.h"
#include "simulate/report/collective_kind.h"
#include "simulate/report/memory_trace.h"
#include "simulate/report/report.h"
#include "simulate/report/run.h"
#include "simulate/report/what_if.h"
#include "util/log.h"

namespace tools {

using namespace convert;

namespace {

bool to_stdout(const std::optional<std::string>& path) { return !path || *path == "-"; }

ReportPart part_of(const std::string& show) {
  if (show == "collectives") return ReportPart::collectives;
  return show == "links" ? ReportPart::wires : ReportPart::npus;
}

// Parses "3:17" or "end".
ExplainTarget explain_target(const std::string& text) {
  if (text == "end") return {.end = true};
  const std::size_t colon = text.find(':');
  const auto rank = parse_int(text.substr(0, colon));
  const auto node = colon == std::string::npos ? std::nullopt : parse_unsigned(text.substr(colon + 1));
  if (!rank || !node || *rank < 0 || *rank >= max_npus)
    throw usage_error("--explain: '" + text + "' is neither RANK:NODE, such as 3:17, nor end");
  return {.rank = static_cast<Rank>(*rank), .node = *node};
}

void check_explain(const ReplayOutputOptions& o, bool sweep) {
  if (!o.explain) return;
  (void)explain_target(*o.explain);
  const char* other = sweep                 ? "a sweep"
                      : o.timeline          ? "--timeline"
                      : o.memory_trace      ? "--memory-trace"
                      : o.table() != "npus" ? "--show"
                      : o.format == "astra" ? "--format astra"
                                            : nullptr;
  if (other != nullptr) throw usage_error(std::string("--explain cannot be combined with ") + other);
}

void check_to(const ReplayOutputOptions& o, bool sweep) {
  if (run_form(o)) {
    if (sweep) throw usage_error("a run is a single replay; write the table of a sweep as CSV");
    return;
  }
  if (o.what_if && o.explain) throw usage_error("--what-if and --explain cannot be combined; give only one");
  if (o.what_if && (sweep || is_schedule(o) || o.format != "json")) {
    throw usage_error("--what-if requires a run, a page or JSON; give -o x.run, -o x.html or --format json");
  }
  if (!o.to) return;
  if (!is_schedule(o)) throw usage_error("-t " + *o.to + ": expected ten, run, html, perfetto or chrome");
  const char* other = sweep                 ? "a sweep"
                      : o.explain           ? "--explain"
                      : o.table() != "npus" ? "--show"
                      : o.format != "text"  ? "--format"
                                            : nullptr;
  if (other != nullptr) throw usage_error(std::string("-t cannot be combined with ") + other);
}

void check_report(const ReplayOutputOptions& o, bool sweep) {
  if (o.table() == "npus") return;
  if (sweep) throw usage_error("--show is for a single replay, not for a sweep");
  if (o.format == "astra") throw usage_error("--format astra cannot be combined with --show " + o.table());
}

void check_suffix(const ReplayOutputOptions& o, bool sweep) {
  refuse_suffix_of_other_kind(o.timeline, "a Chrome trace, .json", {"json"}, "--timeline");
  if (o.to || run_form(o) || o.format == "astra") return;
  if (sweep) return refuse_suffix_of_other_kind(o.output, "the table of a sweep, .csv", {"csv"});
  if (o.print_network) return refuse_suffix_of_other_kind(o.output, "a list of links", {"csv"});
  refuse_suffix_of_other_kind(
      o.output,
      "a table, with --format csv or json .csv or .json, or by suffix a run: .run, .html, .pftrace, .json",
      {o.format});
}

void check_files(const ReplayOutputOptions& o, bool sweep) {
  if (sweep) {
    if (o.timeline) throw usage_error("--timeline is for a single replay, not for a sweep");
    if (o.track_memory || o.memory_trace)
      throw usage_error("--track-memory and --memory-trace are for a single replay, not for a sweep");
    if (o.format != "text" && o.format != "csv")
      throw usage_error("the table of a sweep is CSV; give --format csv or omit it");
  }
  if (o.timeline == "-" && to_stdout(o.output))
    throw usage_error("--timeline - and the result both write to standard output; name a file with -o");
  if (o.timeline == "-" && run_form(o))
    throw usage_error(
        "--timeline - and the report of the replay both write to standard output; name a file with --timeline");
  if (o.memory_trace == "-") throw usage_error("--memory-trace writes a file for each rank; give it a PREFIX");
  check_suffix(o, sweep);
}

void check_print_network(const ReplayOutputOptions& o, bool sweep) {
  if (!o.print_network) return;
  const char* other = sweep                 ? "a sweep"
                      : o.to                ? "-t"
                      : o.explain           ? "--explain"
                      : o.what_if           ? "--what-if"
                      : o.timeline          ? "--timeline"
                      : o.track_memory      ? "--track-memory"
                      : o.memory_trace      ? "--memory-trace"
                      : o.table() != "npus" ? "--show"
                      : o.format != "text"  ? "--format"
                                            : nullptr;
  if (other != nullptr) throw usage_error(std::string("--print-network cannot be combined with ") + other);
}

std::string memory_trace_file(const std::string& prefix, std::size_t rank) {
  return prefix + "." + std::to_string(rank) + ".json";
}

std::string text_of(const Explanation& e, const std::string& format, bool all) {
  constexpr std::size_t max_steps = 40;
  std::string text;
  if (format == "json") {
    append_json(e, text);
  } else if (format == "csv") {
    append_csv(e, text);
  } else {
    append_text(e, text, all ? 0 : max_steps);
  }
  return text;
}

// `findings`: of the run, as JSON; empty: none.
void write_report(const ReplayResult& result, const ReplayOutputOptions& o, bool all, const std::string& findings,
                  Output& out) {
  if (o.explain) return out.write(text_of(*result.explanation, o.format, all));
  const auto drain = [&out](std::string& text) {
    out.write(text);
    text.clear();
  };
  const ReportOptions options{.part = part_of(o.table()), .all = all, .findings = findings, .drain = drain};
  std::string text;
  if (o.format == "json") {
    append_json(result, text, options);
  } else if (o.format == "astra") {
    append_astra(result, text);
  } else if (o.format == "csv") {
    append_csv(result, text, options);
  } else {
    append_text(result, text, options);
  }
  out.write(text);
}

std::string text_of(const Schedule& schedule, const ReplayOutputOptions& o) {
  const FormatChoice choice = written_format(o.to, o.output);
  std::string out;
  choice.format->write_schedule(schedule, choice.options, out);
  return out;
}

bool tells_findings(const ReplayOutputOptions& o) { return o.format == "json" && !o.explain && !is_schedule(o); }

// Returns whether to replay with changes and report the gain: if requested, or if it takes less than seconds.
bool wants_what_ifs(const ReplayOutputOptions& o, const std::optional<RunForm>& form, const Run& run) {
  constexpr std::uint64_t few_events = 2'000'000;
  if (run.status != RunStatus::complete) return false;
  const bool shown = !form || form->page() || form->choice.format->name == "run" || tells_findings(o);
  return o.what_if || (shown && count_events(run) < few_events);
}

Run complete_run(ReplayResult& result, const ReplayOutputOptions& o, const std::optional<RunForm>& form,
                 const ReplayProgram* program) {
  Run run = make_run(result, program);
  if (program != nullptr && wants_what_ifs(o, form, run)) add_what_ifs(*program, run);
  return run;
}

std::string findings_json(const Run& run) {
  std::string json;
  append_json(findings_of(run), json, 1);
  return json;
}

// Returns the findings of a replay without a recorded run, from a second replay that records. Only if the replay is
// small or --what-if is given; empty otherwise.
std::string found_again(const ReplayResult& result, const ReplayOutputOptions& o, const ReplayProgram& program) {
  constexpr std::uint64_t few_events = 200'000;
  std::uint64_t events = 0;
  for (const NpuResult& npu : result.npus) events += npu.nodes_done + npu.sends;
  if (!o.what_if && events >= few_events) return {};
  ReplayProgram again = program;
  again.options.memory = MemoryTracking::off;
  again.options.timeline = false;
  want_run(again.options);
  ReplayResult recorded = replay(again);
  recorded.kinds = result.kinds;
  return findings_json(complete_run(recorded, o, std::nullopt, &again));
}

// Writes the run; returns its findings if the report contains them.
std::string write_run(const RunForm& form, ReplayResult& result, const ReplayOutputOptions& o,
                      const LoadedReplay& replay, const Run& about, Output& out) {
  Run run = complete_run(result, o, form, replay.program ? &*replay.program : nullptr);
  run.title = about.title;
  run.settings.insert(run.settings.begin(), about.settings.begin(), about.settings.end());
  run.inputs = about.inputs;
  GroupNames names;
  for (const Run::Group& group : about.groups) names.emplace(group.group, about.texts[group.name]);
  add_group_names(names, run);
  write_runs(form, {&run, 1}, out);
  return tells_findings(o) ? findings_json(run) : std::string();
}

void report_unfinished(ReplayResult& result, const InputOptions& input, const std::string& file, Context& context) {
  WaitReport& waits = result.waits;
  const auto most = static_cast<std::size_t>(context.common.max_errors);
  look_up_names(input, context, most, waits.blocked);
  const bool deadlock = result.status == ReplayStatus::deadlock;
  const char* const rule = deadlock ? "deadlock" : waits.unmatched_total == 0 ? "collectives" : "pairs";
  context.diagnostics.error({.file = file}, rule, (deadlock ? "deadlock: " : "") + result_message(result),
                            describe(waits, most));
  context.report();
}

}  // namespace

std::optional<RunForm> run_form(const ReplayOutputOptions& o) {
  const bool report = o.format != "text" || o.table() != "npus" || o.explain;
  if (!o.to && report && o.output && without_compression_suffix(*o.output).ends_with(".json")) return std::nullopt;
  return run_form(o.to, o.output);
}

bool is_schedule(const ReplayOutputOptions& o) {
  return o.to && !run_form(o) && parse_format_choice(*o.to, Direction::write).format->write_schedule != nullptr;
}

void add_replay_output_options(App& app, ReplayOutputOptions& to) {
  app.group("Output");
  app.add_option("-o,--output", to.output, "PATH", option_text::output);
  app.add_option("-t,--to", to.to, "run|html|perfetto|chrome|ten[,KEY=VALUE...]", option_text::to).advanced();
  app.add_choice("--format", to.format, {"text", "csv", "json", "astra"}, "form of the printed result");
  app.add_choice("--show", to.show, {"npus", "collectives", "links"}, option_text::show).advanced();
  app.add_option("--explain", to.explain, "RANK:NODE|end", "why a node started, or the run ended, at its time");
  app.add_option("--timeline", to.timeline, "PATH", "also write a Chrome trace, for ui.perfetto.dev").advanced();
  app.add_flag("--list-machines", to.list_machines, "list the machines for -n; with -v, their sources").advanced();
  app.add_flag("--print-network", to.print_network, "write the links of the network as YAML, and replay nothing")
      .advanced();
  app.add_flag(
         "--what-if", to.what_if,
         "replay again with one thing changed at a time (done anyway below 2 million events), for a run, page "
         "or JSON")
      .advanced();
  app.add_flag("--track-memory", to.track_memory, "report the peak of local memory, from tensors of nodes")
      .advanced();
  app.add_option("--memory-trace", to.memory_trace, "PREFIX",
                 "also write PREFIX.RANK.json: local memory over time, for ui.perfetto.dev")
      .advanced();
}

void check_replay_output(const ReplayOutputOptions& o, bool sweep) {
  check_to(o, sweep);
  check_explain(o, sweep);
  check_report(o, sweep);
  check_files(o, sweep);
  check_print_network(o, sweep);
}

void check_replay_output(const ReplayOutputOptions& o, const Scenario& scenario) {
  const Recorded recorded = scenario.options.recorded;
  const NetworkModel model = scenario.options.network.model;
  const auto refuse = [&](bool given, const std::string& option) {
    if (given)
      throw usage_error(option + " cannot be combined with " +
                        (scenario.by_rank() ? "--compute recorded --comm recorded" : "--comm recorded"));
  };
  if (recorded != Recorded::nothing) {
    refuse(o.table() != "npus", "--show " + o.table());
    refuse(is_schedule(o), "-t " + o.to.value_or(""));
    refuse(scenario.by_rank() && o.track_memory, "--track-memory");
    refuse(scenario.by_rank() && o.memory_trace, "--memory-trace");
  }
  if (o.table() == "links" && model == NetworkModel::unaware)
    throw usage_error("model unaware has no links; give --model aware or links");
  if (o.table() == "links" && model == NetworkModel::fair)
    throw usage_error("model fair does not list links; give --model links, without the times of the machine");
  if (o.table() == "links" && scenario.network.ideal) throw usage_error("an ideal network has no links");
  if (is_schedule(o) && model != NetworkModel::wires)
    throw usage_error("-t " + *o.to + " requires --model links; the other models have no links, or no exact times");
  if (is_schedule(o) && scenario.options.network.multipath == Multipath::split)
    throw usage_error("-t " + *o.to + " requires one route per message; give --multipath single or hash");
}

std::vector<std::string> output_files(const ReplayOutputOptions& o, std::size_t ranks) {
  std::vector<std::string> files;
  if (o.output) files.push_back(*o.output);
  if (o.timeline) files.push_back(*o.timeline);
  for (std::size_t r = 0; o.memory_trace && r < ranks; ++r) files.push_back(memory_trace_file(*o.memory_trace, r));
  return files;
}

void refuse_inputs_as_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  using File = std::pair<dev_t, ino_t>;
  const auto find = [](const std::string& path) -> std::optional<File> {
    struct stat s {};
    if (stat(path.c_str(), &s) != 0) return std::nullopt;
    return File(s.st_dev, s.st_ino);
  };
  std::set<File> files;
  for (const std::string& input : inputs) {
    if (const auto file = find(input)) files.insert(*file);
  }
  for (const std::string& output : outputs) {
    const auto file = find(output);
    if (file && !is_stream_path(output) && files.contains(*file))
      throw usage_error(output + " is an input; name another file for the result");
  }
}

int print_machines(const Context& context) {
  write_bytes(std::nullopt, list_machines(context.common.verbose > 0));
  return 0;
}

bool wrote_network(const Scenario& scenario, const ReplayOutputOptions& o) {
  const std::string& name = scenario.network.source;
  report_network(scenario.network);
  if (!o.print_network) return false;
  if (scenario.network.ideal) throw usage_error("--print-network: an ideal network has no links");
  WireGraph graph = build_wire_graph(scenario.network);
  remove_failed_wires(graph, scenario.options.network.failed);
  if (graph.wires.size() > max_listed_wires)
    throw usage_error("--print-network: '" + name + "' has " + std::to_string(graph.wires.size()) +
                      " links; a list has at most 2^20");
  std::string text;
  append_wire_list(graph, text);
  if (text.size() > max_yaml_bytes) log_note("the list is larger than 4 MiB; -n does not read such a list");
  if (!to_stdout(o.output)) refuse_inputs_as_outputs({*o.output}, {name});
  OutputFiles files;
  const auto out = open_output(files, o.output);
  out->write(text);
  out->close();
  files.commit();
  return true;
}

void set_replay_output(const ReplayOutputOptions& o, ReplayOptions& options) {
  const SystemConfig& system = options.system->config;
  options.timeline = o.timeline.has_value() || is_schedule(o);
  options.network.log_hops = is_schedule(o);
  if (o.explain) options.explain = explain_target(*o.explain);
  // All reports except npus name the bottleneck.
  const NetworkModel model = options.network.model;
  options.network.count_wires =
      o.table() != "npus" && model != NetworkModel::unaware && model != NetworkModel::fair;
  if (!options.timeline && !options.explain) options.most_npus_alone = most_recorded_alone;
  constexpr std::uint32_t most_listed_alone = 4096;  // a table has one row for all NPUs of a kind
  if (o.format != "text" || run_form(o)) options.list_all_up_to = most_listed_alone;
  const bool peaks = o.track_memory || system.track_local_mem;
  options.memory = o.memory_trace ? MemoryTracking::trace : peaks ? MemoryTracking::peaks : MemoryTracking::off;
  if (run_form(o)) want_run(options);
  if (!o.memory_trace && system.track_local_mem)
    log_info("track-local-mem writes no files; give --memory-trace " + system.local_mem_trace + " to write them");
}

bool report_result(ReplayResult& result, const ReplayOutputOptions& o, const InputOptions& input,
                   const std::string& name, Context& context) {
  const std::string file = name == "-" ? "<stdin>" : name;
  for (const std::string& note : result.notes) log_note(note);
  note_one_route(is_schedule(o), result);
  if (result.status != ReplayStatus::deadlock) {
    for (const AstraGap gap : result.gaps.list()) log_note(std::string(astra_gap_text) + std::string(cause(gap)));
  }
  if (result.status == ReplayStatus::deadlock || result.status == ReplayStatus::unmatched)
    report_unfinished(result, input, file, context);
  if (o.explain && !result.explanation) {
    if (context.failed()) return false;
    throw input_error({.file = file}, *o.explain == "end" ? "the replay has not ended at --until"
                                                          : "node " + *o.explain + " has not started at --until");
  }
  if (result.worst_port)
    context.diagnostics.warning({}, "ports", port_text(*result.worst_port) + "; --model links queues them");
  return !is_schedule(o) || !context.failed();
}

void write_replay(ReplayResult& result, const ReplayOutputOptions& o, bool all, const LoadedReplay& replay,
                  const std::optional<Schedule>& schedule, const Run& about) {
  if (replay.program) log_info(symmetry_text(result));
  if (replay.program && o.format != "astra") result.kinds = collective_kinds(*replay.program);
  OutputFiles files;
  const std::optional<RunForm> form = run_form(o);
  if (form && to_stdout(o.output) && form->binary()) refuse_binary_on_tty("or write text with -t chrome");
  const auto out = open_output(files, o.output);
  if (o.timeline) {
    const auto timeline = open_output(files, o.timeline);
    write_chrome(result.timeline, *timeline);
    timeline->close();
  }
  for (Rank r = 0; o.memory_trace && r < result.npus.size(); ++r) {
    const auto trace = files.create_in_set(memory_trace_file(*o.memory_trace, r));
    write_memory_trace(*replay.program, result, r, [&](std::string_view text) { trace->write(text); });
    trace->close();
  }
  if (form) {
    const std::string findings = write_run(*form, result, o, replay, about, *out);
    if (!to_stdout(o.output)) {
      const auto report = open_stdout();
      write_report(result, o, all, findings, *report);
      report->close();
    }
  } else if (schedule) {
    out->write(text_of(*schedule, o));
  } else {
    const bool finds = tells_findings(o) && replay.program;
    write_report(result, o, all, finds ? found_again(result, o, *replay.program) : std::string(), *out);
  }
  out->close();
  files.commit();
}

}  // namespace tools
