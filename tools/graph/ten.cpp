// SPDX-License-Identifier: MIT
#include "graph/ten.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/option_texts.h"
#include "common/source.h"
#include "core/units.h"
#include "page/ten/ten_page.h"
#include "passes/lower/lower.h"
#include "passes/provenance.h"
#include "passes/ten/check.h"
#include "passes/ten/holdings.h"
#include "passes/ten/step_times.h"
#include "passes/verify/verdict.h"
#include "scenario/scenario.h"
#include "sets/check.h"
#include "sets/made_set.h"
#include "sets/schedules.h"
#include "simulate/engine/replay.h"
#include "util/log.h"

namespace tools {

using namespace convert;

namespace {

// Parses "0-7,12".
std::vector<IdRun> chunk_list(const std::optional<std::string>& text) {
  std::vector<IdRun> out;
  if (!text) return out;
  std::string_view rest = *text;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const std::size_t dash = part.find('-');
    const auto first = parse_int(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_int(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first)
      throw usage_error("--show-chunks: '" + *text + "' is not a list of chunks, such as 0-7,12");
    out.push_back({*first, *last});
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  return out;
}

// Result of a replay: the schedule, and the times of steps if the algorithm has threadblocks.
struct Replayed {
  Schedule schedule;
  Holdings holdings{};
  Forwarding forwarding = Forwarding::switches;
  Verdict verdict{};  // of the input
  std::optional<Algorithm> algorithm{};
  StepTimes times{};
};

// Returns the verdict on the input. `traces`: its ranks, unless it is an algorithm.
Verdict verdict_of(TraceSource& source, std::span<const Trace> traces, Diagnostics& findings, Context& context) {
  const CheckOptions options{.collective = {}, .jobs = context.jobs()};
  if (source.algorithm() != nullptr) return prove(source, options, findings);
  MadeSet set(source.base_name(), static_cast<Rank>(traces.size()), [&](Rank rank) { return traces[rank]; });
  if (const auto groups = source.groups()) set.set_groups(groups->json);
  return prove(set, options, findings);
}

bool tells_program(std::span<const Trace> traces) {
  return std::ranges::all_of(traces, [](const Trace& t) { return provenance_of(t) == Provenance::full; });
}

// Returns the result of a replay on a network with links; nothing if errors were reported.
std::optional<Replayed> replayed(const TenOptions& options, TraceSource& source, Diagnostics& findings,
                                 Context& context) {
  RunSettings settings;
  settings.set("network", *options.network);
  if (options.size) settings.set("size", *options.size);
  if (options.forwarding) settings.set("forwarding", *options.forwarding);
  settings.model = NetworkModel::wires;
  settings.workload = source.base_name();
  Scenario scenario = make_scenario(settings);
  report_network(scenario.network);
  if (!prepare(source, true, source.base_name()) || context.failed()) return std::nullopt;
  add_groups(scenario, source.groups());
  check_scenario(scenario);
  scenario.options.timeline = true;
  scenario.options.network.log_hops = true;
  const std::vector<Trace> traces = source.load(context.jobs());
  const LoadedReplay loaded = load_replay(traces, scenario, context.jobs(), context.diagnostics);
  if (!loaded || context.failed()) return std::nullopt;
  const ReplayResult result = replay(*loaded.program);
  note_one_route(true, result);
  if (result.status != ReplayStatus::complete)
    throw input_error({.file = source.base_name()},
                      result_message(result) + "; omit -n to see the algorithm up to that point");
  for (const std::string& note : result.notes) log_note(note);
  DrawnReplay drawn = draw_replay(traces, result.timeline, scenario.network, source.base_name());
  Replayed out{.schedule = std::move(drawn.schedule),
               .holdings = std::move(drawn.holdings),
               .forwarding = result.forwarding.value_or(Forwarding::switches),
               .verdict = verdict_of(source, traces, findings, context)};
  if (!tells_program(traces)) return out;
  out.algorithm = raise_algorithm(traces);
  out.times = step_times(traces, *out.algorithm, result.timeline);
  return out;
}

void note_findings(const Diagnostics& findings, const std::string& name) {
  if (findings.errors() == 0) return;
  log_note(name + ": " + counted(findings.errors(), "error") + " of et-validate" +
           (findings.errors() == 1 ? " is" : " are") + " on the page");
}

TenPage page_of(const Algorithm& a, const Judgement& judgement, const TenPageOptions& options) {
  const StepGraph graph = make_step_graph(a);
  return ten_page(a, graph, play(graph), judgement, options);
}

TenPage page_of(const Schedule& s, const Judgement& judgement, const TenPageOptions& options) {
  Diagnostics again;
  Schedule timed;
  (void)check_schedule(s, timed, again);
  if (timed.time == Schedule::Time::order)
    throw input_error({.file = s.file},
                      "the schedule gives only the order on the links, and in that order the transfers never end; "
                      "et-validate reports the reason");
  return ten_page(timed, holdings_of(timed), judgement, options);
}

// Returns the algorithm that traces were made from.
Algorithm algorithm_of(const TraceSource& source, std::span<const Trace> traces) {
  for (const Trace& t : traces) {
    if (provenance_of(t) != Provenance::full)
      throw input_error(
          {.file = t.name},
          "the trace was not made from an algorithm (it has no msccl.* metadata and steps), so it has no chunks "
          "to follow; use --view graph",
          "provenance");
  }
  require_all_ranks(traces);
  Algorithm a = raise_algorithm(traces);
  if (a.name.empty()) a.name = source.base_name();
  return a;
}

// Returns the name of the file; for a pipe, the name within the input.
std::string title_of(const TraceSource& source) {
  const bool piped = source.base_name() == "-" || source.base_name() == "stdin";
  if (piped && source.schedule() != nullptr && !source.schedule()->name.empty()) return source.schedule()->name;
  if (piped && source.algorithm() != nullptr && !source.algorithm()->name.empty()) return source.algorithm()->name;
  return source.base_name();
}

}  // namespace

void add_ten_options(App& app, TenOptions& to) {
  app.add_option("-n,--network", to.network, "NETWORK", option_text::network);
  app.add_option("--size", to.size, "BYTES", option_text::size);
  app.add_choice("--forwarding", to.forwarding, {"switches", "store", "cut"},
                 std::string(option_text::forwarding) + " (default: switches)")
      .advanced();
  app.add_option("--show-chunks", to.chunks, "LIST", "only these chunks in the view ten, such as 0-7,12")
      .advanced();
}

bool write_ten_page(const TenOptions& options, TraceSource& source, Diagnostics& findings, Output& output,
                    Context& context) {
  TenPageOptions page_options{.title = title_of(source), .chunks = chunk_list(options.chunks)};
  if (source.schedule() != nullptr) page_options.needs_stored = needs_stored(*source.schedule());
  if (page_options.needs_stored && !options.network)
    log_note(source.base_name() + ": the schedule requires store-and-forward switches (--forwarding store)");
  TenPage page;
  Verdict verdict;
  if (options.network) {
    context.diagnostics.append(findings);
    if (context.failed()) return false;
    const std::optional<Replayed> run = replayed(options, source, findings, context);
    if (!run) return false;
    verdict = run->verdict;
    const Judgement judgement{verdict, findings.all()};
    if (run->schedule.switches != 0) page_options.forwarding = describe(run->forwarding);
    if (run->algorithm) {
      const ReplayedProgram program{.algorithm = *run->algorithm, .times = run->times};
      page = ten_page(run->schedule, run->holdings, judgement, page_options, &program);
    } else {
      page = ten_page(run->schedule, run->holdings, judgement, page_options);
    }
  } else if (source.algorithm() != nullptr) {  // schedules too
    verdict = verdict_of(source, {}, findings, context);
    const Judgement judgement{verdict, findings.all()};
    page = source.schedule() != nullptr ? page_of(*source.schedule(), judgement, page_options)
                                        : page_of(*source.algorithm(), judgement, page_options);
  } else {
    const std::vector<Trace> traces = source.load(context.jobs());
    if (context.failed()) return false;
    const Algorithm algorithm = algorithm_of(source, traces);
    verdict = verdict_of(source, traces, findings, context);
    page = page_of(algorithm, {verdict, findings.all()}, page_options);
  }
  note_findings(findings, source.base_name());
  log_info(source.base_name() + ": " + describe(verdict));
  convert::write_page(PageKind::ten, page.title, page.head, page.columns, output);
  return true;
}

}  // namespace tools
