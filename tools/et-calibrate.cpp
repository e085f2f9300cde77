// SPDX-License-Identifier: MIT
// et-calibrate: fits a machine to measured times of collective calls.
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "calibrate/calibration.h"
#include "calibrate/machine_text.h"
#include "calibrate/options.h"
#include "calibrate/plot.h"
#include "calibrate/recording.h"
#include "calibrate/report.h"
#include "calibrate/selection.h"
#include "common/tool.h"
#include "formats/format.h"
#include "io/input.h"
#include "machine/chosen.h"
#include "machine/file.h"
#include "programs.h"
#include "sets/runs.h"
#include "sets/sink.h"
#include "util/log.h"

namespace {

using namespace convert;

// Measured curves of all inputs.
struct MeasuredInputs {
  BenchmarkCurves curves;
  std::set<std::string> fitted_harness;      // sets
  std::map<std::string, double> harness_ns;  // by set
  std::vector<std::string> files;
};

// Reads each benchmark once for all operands that select rows of it.
class BenchmarkFiles {
 public:
  BenchmarkFiles(std::uint32_t gpus_of_node, tools::Context& context)
      : gpus_of_node_(gpus_of_node), jobs_(context.jobs()), diagnostics_(context.diagnostics) {}

  const Benchmark& read(const BenchmarkSelection& selection) {
    BenchmarkReadOptions options = selection.read;
    options.gpus_of_node = gpus_of_node_;
    for (const ReadFile& f : files_)
      if (f.name == selection.file && f.options == options) return f.benchmark;
    files_.push_back({selection.file, options, read_file(selection.file, options)});
    return files_.back().benchmark;
  }

 private:
  Benchmark read_file(const std::string& file, const BenchmarkReadOptions& options) {
    if (is_recording(file)) {
      const Run run = load_runs({.operands = {file}, .hash = false}, jobs_, diagnostics_).front();
      return benchmark_of_run(run, gpus_of_node_, diagnostics_);
    }
    return read_benchmark(file, open_input(file)->read_rest(), options, diagnostics_);
  }
  // Returns whether an input is a trace set or a run, not the text of a benchmark.
  static bool is_recording(const std::string& file) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (file == "-") return false;
    if (!fs::is_regular_file(file, error)) return true;
    constexpr std::size_t known_head = 64 << 10;
    const auto input = open_input(file);
    const std::string_view head = input->peek(known_head);
    return !is_benchmark_text(head) && detect_format(head, file) != nullptr;
  }

  struct ReadFile {
    std::string name;
    BenchmarkReadOptions options;
    Benchmark benchmark;
  };
  std::uint32_t gpus_of_node_;
  unsigned jobs_;
  Diagnostics& diagnostics_;
  std::vector<ReadFile> files_;
};

MeasuredInputs read_inputs(const tools::CalibrateOptions& o, std::uint32_t gpus_of_node, tools::Context& context) {
  MeasuredInputs inputs;
  BenchmarkFiles files(gpus_of_node, context);
  for (const std::string& operand : o.operands) {
    const BenchmarkSelection selection = parse_benchmark_selection(operand);
    SelectedCurves selected = select_curves(selection, files.read(selection), gpus_of_node, context.diagnostics);
    for (BenchmarkCurve& curve : selected.curves) {
      if (selected.fits_harness) inputs.fitted_harness.insert(curve.set);
      if (selection.harness_ns) inputs.harness_ns[harness_key(curve)] = *selection.harness_ns;
      inputs.curves.push_back(std::move(curve));
    }
    inputs.files.push_back(selection.file);
  }
  return inputs;
}

// Returns the machine with the name, the table and the sources of the output.
Machine named(Machine machine, const tools::CalibrateOptions& o, const MeasuredInputs& inputs) {
  namespace fs = std::filesystem;
  const std::string stem = fs::path(*o.output).stem().string();
  if (names_machine(*o.machine) && is_machine_name(stem)) machine.name = stem;
  machine.tables.clear();
  if (!machine.measured.empty()) machine.tables.push_back(fs::path(o.table()).filename().string());
  if (!o.tables_only) machine.sources.clear();
  for (const std::string& file : inputs.files) machine.sources.push_back(fs::path(file).filename().string());
  return machine;
}

std::string printed(const CalibrationReport& report, const tools::CalibrateOptions& o) {
  const std::string form = o.format.value_or("text");
  if (form == "json") return calibration_json(report);
  if (form == "csv") return calls_csv(report.calls);
  return calibration_text(report);
}

void report_notes(const std::vector<CalibrationNote>& notes, tools::Context& context) {
  for (const CalibrationNote& note : notes) {
    if (note.kind == NoteKind::note) {
      log_note(note.text);
    } else {
      context.diagnostics.warning({}, "benchmark", note.text);
    }
  }
}

void write_report(const CalibrationReport& report, const tools::CalibrateOptions& o, OutputFiles& files) {
  if (o.residuals) write_bytes(files, o.residuals, calls_csv(report.calls));
  if (o.plot) {
    write_bytes(
        files, o.plot,
        plot_svg("Collectives on " + report.machine, "size", "bus bandwidth", bandwidth_curves(report.calls)));
  }
  write_bytes(std::nullopt, printed(report, o));
}

int calibrate_machine(const tools::CalibrateOptions& o, tools::Context& context) {
  tools::check_usage(o);
  const std::shared_ptr<const ChosenMachine> base = choose_machine(*o.machine);
  MeasuredInputs inputs = read_inputs(o, base->machine().node.gpus, context);
  if (context.failed()) return 1;
  Machine start = base->machine();
  for (const auto& [set, ns] : inputs.harness_ns) start.harness_ns[set] = ns;
  CalibrationReport report;
  OutputFiles files;
  if (o.test) {
    const ChosenMachine tested(start, std::nullopt, base->uses_tables(), base->is_rescaled());
    report = {.machine = start.name, .calls = compare_calls(tested, inputs.curves), .methods = {}, .notes = {}};
    write_report(report, o, files);
    files.commit();
    return 0;
  }
  Calibration made = calibrate(start, inputs.curves,
                               {.fit = {.harness = inputs.fitted_harness, .jobs = context.jobs()},
                                .keeps_constants = o.tables_only,
                                .has_table = !o.no_tables,
                                .accepts_conflicts = o.force});
  report_notes(made.notes, context);
  if (context.failed()) return 1;
  const Machine machine = named(std::move(made.machine), o, inputs);
  write_bytes(files, o.output, machine_yaml(machine, made.not_told));
  if (!machine.measured.empty()) write_bytes(files, o.table(), machine_csv(machine.measured));
  const ChosenMachine formulas(machine, std::nullopt, false, false);
  report = {.machine = machine.name,
            .calls = compare_calls(formulas, inputs.curves),
            .methods = {{"formulas alone", made.formulas},
                        {"tables, every second size omitted", made.between_sizes},
                        {"tables, each group omitted", made.between_groups},
                        {"latency and bandwidth of each collective", made.alpha_beta}},
            .notes = std::move(made.notes)};
  write_report(report, o, files);
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
