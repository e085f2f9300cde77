// SPDX-License-Identifier: MIT
#include "replay/sweep.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <thread>
#include <utility>

#include "common/form.h"
#include "common/option_texts.h"
#include "config/sweep.h"
#include "config/yaml_tree.h"
#include "io/input.h"
#include "io/sha256.h"
#include "page/plot/plot.h"
#include "replay/output.h"
#include "scenario/sweep_plan.h"
#include "scenario/sweep_queue.h"
#include "scenario/sweep_summary.h"
#include "scenario/sweep_table.h"
#include "sets/known_file.h"
#include "sets/sink.h"
#include "simulate/networks/port_watch.h"
#include "util/log.h"

namespace tools {
namespace {

using namespace convert;

// Returns whether an argument of --sweep is a file, not KEY=A,B,C.
bool names_file(std::string_view text) {
  const std::size_t equals = text.find('=');
  return equals == std::string_view::npos || text.substr(0, equals).find('/') != std::string_view::npos;
}

// Returns the setting of a key, of any dimension, among axes or in a base.
const SweepSetting* find(const SweepConfig& config, const std::string& key) {
  for (const auto* settings : {&config.axes, &config.base}) {
    for (const SweepSetting& s : *settings) {
      if (s.key == key || s.key.starts_with(key + ".")) return &s;
    }
  }
  return nullptr;
}

SweepPlan make_plan(const SweepOptions& sweep, const ReplayCommand& command) {
  const std::vector<SweepSetting> given = sweep_base(command);
  SweepConfig config;
  std::string folder;
  if (const auto file = sweep.file()) {
    const auto input = open_input(*file);
    const std::string_view text = input->peek(max_yaml_bytes + 1);
    config = parse_known(FileKind::sweep, text, input->name(),
                         [&] { return parse_sweep(input->name(), text, sweep_keys()); });
    folder = std::filesystem::path(*file).parent_path();
  }
  for (const std::string& text : sweep.axes) {
    if (!names_file(text)) config.axes.push_back(parse_sweep_option(text, sweep_keys()));
  }
  for (const SweepSetting& s : given) {
    if (const SweepSetting* const other = find(config, s.key))
      throw Error(Error::Kind::usage, other->where, "the command line gives " + s.key + " too; give it once");
  }
  config.base.insert(config.base.end(), given.begin(), given.end());
  const SweepSetting* const networks = find(config, "network");
  if (networks != nullptr && find(config, "latency") == nullptr) note_missing_latency(networks->values);
  if (command.implied_compat && find(config, "compat") == nullptr) config.base.push_back(*command.implied_compat);
  if (find(config, "workload") == nullptr)
    config.base.push_back({.key = "workload", .values = {{inputs(command.input).front()}}, .option = "INPUT"});
  return {std::move(config), std::move(folder)};
}

std::vector<std::string> columns_of(const SweepPlan& plan) {
  std::vector<std::string> columns;
  for (const SweepSetting& axis : plan.axes()) columns.push_back(axis.key);
  columns.insert(columns.end(), sweep_result_columns().begin(), sweep_result_columns().end());
  return columns;
}

// Compares the command and the contents of files and traces with the other processes.
void compare_inputs(const SweepIdentities& identities, const Context& context, SweepTeam& team) {
  ProcessInputs inputs{{"the command", context.history()}};
  for (const auto& [path, digest] : identities.inputs)
    inputs.emplace_back(path, "with SHA-256 " + sha256_hex(digest));
  for (const std::string& run : identities.runs) inputs.emplace_back("run", run);
  team.compare(inputs);
}

// Executes the runs of this process, and serves the other processes.
void do_runs(TableQueue& queue, SweepRunner& runner, SweepTeam* team) {
  if (team == nullptr) return runner.work(queue);
  std::exception_ptr failure;
  std::thread own([&] {
    try {
      runner.work(queue);
    } catch (...) {
      failure = std::current_exception();
      queue.close();  // ends the other processes
    }
  });
  team->serve(queue);
  own.join();
  if (failure) std::rethrow_exception(failure);
}

// Reports the failed runs, with the name of the table if it is a file.
void report_failures(const SweepPlan& plan, const SweepTable& table, const std::string& name, Context& context) {
  const std::size_t status = plan.axes().size();
  for (std::size_t run = 0; run < plan.size(); ++run) {
    const std::vector<std::string>& cells = table.cells(run);
    if (cells[status] == "complete" || cells[status] == "stopped") continue;
    const std::string& message = cells[status + sweep_result_columns().size() - 1];
    const std::string what = cells[status] == "error" ? "" : cells[status] + ": ";
    context.diagnostics.error({.file = name}, "sweep",
                              "run " + std::to_string(run + 1) + " of " + std::to_string(plan.size()) + " (" +
                                  plan.describe(run) + "): " + what + message);
  }
}

// Warns of runs whose messages exceed a port, as reported in the last column.
void warn_of_ports(const SweepPlan& plan, const SweepTable& table, const std::string& name, Context& context) {
  const std::size_t status = plan.axes().size();
  const std::size_t message = status + sweep_result_columns().size() - 1;
  std::size_t count = 0;
  std::optional<std::size_t> first;
  for (std::size_t run = 0; run < plan.size(); ++run) {
    const std::string& text = table.cells(run)[message];
    if (table.cells(run)[status] != "complete" || !text.starts_with(port_text_begin)) continue;
    ++count;
    first = first.value_or(run);
  }
  if (!first) return;
  context.diagnostics.warning({.file = name}, "ports",
                              std::to_string(count) + " of " + std::to_string(plan.size()) +
                                  " runs exceed a port, such as run " + std::to_string(*first + 1) + " (" +
                                  plan.describe(*first) + "): " + table.cells(*first)[message] +
                                  "; the model links queues them");
}

// Returns whether two paths name the same file, which need not exist.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;  // for missing files
  return std::filesystem::equivalent(a, b, ignored) || weakly_canonical(std::filesystem::absolute(a), ignored) ==
                                                           weakly_canonical(std::filesystem::absolute(b), ignored);
}

// Refuses outputs that are the same file, an input, or in a missing folder.
void check_outputs(const SweepOptions& sweep, const SweepPlan& plan, const std::optional<std::string>& path) {
  if (sweep.plot && (path ? is_same_file(*sweep.plot, *path) : sweep.plot == "-"))
    throw usage_error("the table and the plot have the same name; rename one: " + *sweep.plot);
  // A missing folder is found before the runs, not after them.
  const auto folder = std::filesystem::path(sweep.plot.value_or("-")).parent_path();
  std::error_code error;
  if (!folder.empty() && !std::filesystem::exists(folder, error))
    throw system_error(folder, error ? error.value() : ENOENT);
  std::vector<std::string> inputs = plan.files();
  if (const auto file = sweep.file()) inputs.push_back(*file);
  refuse_inputs_as_outputs({path.value_or("-"), sweep.plot.value_or("-")}, inputs);
}

void write_plot(const std::string& path, const Plot& plot, Context& context) {
  if (std::all_of(plot.lines.begin(), plot.lines.end(), [](const PlotLine& l) { return l.points.empty(); }))
    return context.diagnostics.warning({.file = path}, "sweep", "no plot is written: no run has a time to draw");
  write_bytes(path, draw_svg(plot));
}

void lead(const SweepOptions& sweep, const SweepPlan& plan, std::optional<std::string> path, Context& context,
          SweepTeam* team) {
  std::optional<SweepReference> reference;
  if (sweep.relative_to) reference = parse_sweep_reference(plan, *sweep.relative_to);
  if (sweep.plot) check_sweep_plot(plan);
  if (sweep.plot) check_plot_name(*sweep.plot);
  if (plan.reads_stdin() && team != nullptr)
    throw usage_error("several processes cannot share standard input; name the traces");
  if (path == "-") path.reset();
  check_outputs(sweep, plan, path);
  SweepRunner runner(plan, context.jobs(), context.diagnostics);
  runner.open_stdin();
  for (const std::string& note : plan.network_notes()) log_note(note);
  for (const std::string& note : plan.notes()) log_info(note);
  const SweepIdentities identities = plan.identities();
  if (team != nullptr) {
    team->begin();
    compare_inputs(identities, context, *team);
  }
  SweepTable table(path, columns_of(plan), identities.runs, sweep.restart);
  if (plan.reads_stdin() && table.taken_up() > 0)
    throw usage_error(*path + " may have runs of other traces from standard input; start again with --restart");
  TableQueue queue(plan, table, context.progress());
  log_info("sweep: " + std::to_string(plan.size()) + " runs, " + std::to_string(queue.total()) + " to do");
  do_runs(queue, runner, team);
  report_failures(plan, table, path.value_or(""), context);
  warn_of_ports(plan, table, path.value_or(""), context);
  if (reference) table.add_column("slowdown", slowdowns(plan, table, *reference));
  table.finish();
  if (sweep.plot) write_plot(*sweep.plot, plot_sweep(plan, table, reference), context);
}

}  // namespace

void add_sweep_options(App& app, SweepOptions& to) {
  app.group("Sweep");
  app.add_texts("--sweep", to.axes, "FILE|KEY=A,B,...", "replay every combination of values; may be repeated");
  app.add_option("--plot", to.plot, "FILE", option_text::plot).advanced();
  app.add_option("--relative-to", to.relative_to, "KEY=VALUE", "add slowdowns relative to the runs with this value")
      .advanced();
  app.add_flag("--restart", to.restart, "begin the sweep anew, whatever -o holds").advanced();
}

std::optional<std::string> SweepOptions::file() const {
  std::optional<std::string> file;
  for (const std::string& text : axes) {
    if (!names_file(text)) continue;
    if (file) throw usage_error("--sweep names two files, " + *file + " and " + text + "; give one");
    file = text;
  }
  return file;
}

void check_sweep_options(const SweepOptions& o) {
  if (o.wanted()) return;
  const char* const option = o.plot          ? "--plot"
                             : o.relative_to ? "--relative-to"
                             : o.restart     ? "--restart"
                                             : nullptr;
  if (option != nullptr) throw usage_error(std::string(option) + " requires a sweep; give --sweep");
}

int run_sweep(const SweepOptions& sweep, const ReplayCommand& command, const std::optional<std::string>& output,
              Context& context, std::unique_ptr<SweepTeam> team) {
  if (team != nullptr && !team->leads()) {
    team->begin();
    set_log_level(-1);  // the leader logs the same
    const SweepPlan plan = make_plan(sweep, command);
    compare_inputs(plan.identities(), context, *team);
    Diagnostics not_shown;  // the leader reports the same
    SweepRunner runner(plan, context.jobs(), not_shown);
    const auto queue = team->queue();
    runner.work(*queue);
    team->end();
    return 0;
  }
  lead(sweep, make_plan(sweep, command), output, context, team.get());
  return 0;
}

}  // namespace tools
