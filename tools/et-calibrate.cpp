// SPDX-License-Identifier: MIT
// et-calibrate: fits a machine to measured times of collective calls.
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/inputs.h"
#include "calibrate/options.h"
#include "calibrate/output.h"
#include "calibrate/program.h"
#include "calibrate/report.h"
#include "common/source.h"
#include "common/tool.h"
#include "config/network/network.h"
#include "machine/chosen.h"
#include "machine/file.h"
#include "machine/write.h"
#include "programs.h"
#include "sets/sink.h"

namespace {

using namespace convert;

// Returns the machine with the name, the table and the sources of the output.
Machine named(Machine machine, const tools::CalibrateOptions& o, const tools::MeasuredInputs& inputs) {
  namespace fs = std::filesystem;
  const std::string stem = fs::path(*o.output).stem().string();
  if (names_machine(*o.machine) && is_machine_name(stem)) machine.name = stem;
  machine.tables.clear();
  if (!machine.measured.empty()) machine.tables.push_back(fs::path(o.table()).filename().string());
  if (!o.tables_only) machine.sources.clear();
  for (const std::string& file : inputs.files) machine.sources.push_back(fs::path(file).filename().string());
  return machine;
}

// Returns the times of the inputs' calls on a machine, by its library or, with --program, by replays.
std::vector<ComparedCall> compared(const ChosenMachine& machine, const BenchmarkCurves& curves,
                                   const tools::CalibrateOptions& o) {
  if (!o.program) return compare_calls(machine, curves);
  return compare_algorithm(machine.machine(), curves, *o.program, tools::algorithm_time(*o.machine, *o.program));
}

Calibration calibration(const Machine& start, const tools::MeasuredInputs& inputs, const tools::CalibrateOptions& o,
                        unsigned jobs) {
  if (o.program)
    return calibrate_program(start, inputs.curves, tools::algorithm_time(*o.machine, *o.program), jobs);
  return calibrate(start, inputs.curves,
                   {.fit = {.harness = inputs.fitted_harness, .jobs = jobs},
                    .keeps_constants = o.tables_only,
                    .has_table = !o.no_tables,
                    .accepts_conflicts = o.force});
}

std::vector<MethodErrors> methods(const Calibration& made) {
  if (made.formulas.count() == 0) return {};
  return {{"formulas alone", made.formulas},
          {"tables, every second size omitted", made.between_sizes},
          {"tables, each group omitted", made.between_groups},
          {"latency and bandwidth of each collective", made.alpha_beta}};
}

int calibrate_machine(const tools::CalibrateOptions& o, tools::Context& context) {
  tools::check_usage(o);
  const std::shared_ptr<const ChosenMachine> base = choose_machine(*o.machine);
  if (o.test) tools::report_network(network_of(base, *o.machine));
  const tools::MeasuredInputs inputs =
      tools::read_measured(o.operands, base->machine(), o.program.has_value(), context);
  if (context.failed()) return 1;
  tools::log_inputs(inputs);
  Machine start = base->machine();
  for (const auto& [set, ns] : inputs.harness_ns) start.harness_ns[set] = ns;
  OutputFiles files;
  CalibrationReport report{.machine = start.name, .calls = {}, .methods = {}, .notes = {}};
  if (o.test) {
    report.calls = compared({start, std::nullopt, base->uses_tables(), base->is_rescaled()}, inputs.curves, o);
  } else {
    Calibration made = calibration(start, inputs, o, context.jobs());
    tools::report_notes(made.notes, context);
    if (context.failed()) return 1;
    report.methods = methods(made);
    const Machine machine = named(std::move(made.machine), o, inputs);
    write_bytes(files, o.output, machine_yaml(machine, made.undetermined));
    if (!machine.measured.empty()) write_bytes(files, o.table(), machine_csv(machine.measured));
    report.machine = machine.name;
    report.calls = compared({machine, std::nullopt, false, false}, inputs.curves, o);
    report.notes = std::move(made.notes);
  }
  tools::write_calibration(report, o, files);
  files.commit();
  return 0;
}

}  // namespace

int tools::et_calibrate(int argc, char** argv) {
  const tools::ToolInfo info{
      .name = "et-calibrate",
      .operands = "INPUT[,KEY=VALUE...]...",
      .examples = {{"et-calibrate -m dgx-h100 -o mine.yml all_reduce.log all_gather.log",
                    "a machine like dgx-h100, with the times of these nccl-tests logs"},
                   {"et-calibrate -m hardware.yml -o mine.yml *.log --plot fit.svg", "a machine of own hardware"},
                   {"et-calibrate -m mine.yml --test other.log", "compares predictions with another log"}},
  };
  return tools::run_tool(argc, argv, info, tools::declare_calibrate, calibrate_machine);
}
