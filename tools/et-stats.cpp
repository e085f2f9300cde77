// SPDX-License-Identifier: MIT
// et-stats: prints statistics of execution traces and of runs.
#include "analyze/figures/figures.h"
#include "common/source.h"
#include "common/tool.h"
#include "programs.h"
#include "sets/runs.h"
#include "sets/sink.h"
#include "stats/options.h"
#include "stats/runs.h"
#include "stats/sets.h"

namespace {

std::string written(const convert::Statistics& statistics, const tools::StatsOptions& o) {
  if (o.get) return get_figure(statistics, *o.get) + '\n';
  if (o.form() == "json") return statistics_json(statistics, o.rows());
  if (o.form() == "csv") return statistics_csv(statistics, o.rows());
  return statistics_text(statistics, o.rows());
}

int stats(const tools::StatsOptions& o, tools::Context& context) {
  using namespace convert;
  tools::check_usage(o);
  if (o.wants("list")) {
    write_bytes(std::nullopt, tools::section_list());
    return 0;
  }
  std::optional<Run> run;
  if (o.run) {
    SourceOptions options{.operands = {*o.run}, .hash = false};
    run = std::move(load_runs(options, context.jobs(), context.diagnostics).front());
  }
  tools::CountedSet counted;
  if (!o.run || !o.input.operands.empty()) {
    SourceOptions options = tools::source_options(o.input, context);
    options.runs = !run;
    options.any_ranks = true;
    TraceSource source(std::move(options), context.diagnostics);
    if (source.holds_run()) {
      run = source.read_run();
    } else {
      counted = tools::count_set(source, o, context);
    }
  }
  if (context.failed()) return 1;
  if (run) {
    for (Section& section : tools::measure_run(*run, o, counted.operations))
      counted.sections.push_back(std::move(section));
  }
  tools::check_sections(counted.sections, o);
  write_bytes(o.output, written(counted.sections, o));
  return 0;
}

}  // namespace

int tools::et_stats(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-stats",
      .operands = "[INPUT...]",
      .examples = {{"et-stats llama", "nodes, bytes, collectives, the longest chain"},
                   {"et-stats --by name --top 20 llama", "which nodes take the time, with percentiles"},
                   {"et-stats --get nodes.total llama.0.et", "one number, for scripts"},
                   {"et-convert ring8.xml | tee >(et-stats >&2) | et-validate", "statistics within a pipe"}},
  };
  return tools::run_tool(argc, argv, info, tools::declare_stats, stats);
}
